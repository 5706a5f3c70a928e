import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Terminal } from '../terminal.ts'

/** A file cannot be used. The message names it and says why. Exit code 1. */
export class FileError extends Error {
  override name = 'FileError'
}

/** The text of a file; a relative path starts from the working directory. The hint is for one that looks more like a text. */
export function readText(file: string, { cwd }: Pick<Terminal, 'cwd'>, hint = ''): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new FileError(`cannot read ${file}: ${reasonOf(error)}${looksLikeText(file) ? hint : ''}`)
  }
}

/** Writes a file that only its owner can read. */
export function writeText(file: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  const path = resolve(cwd, file)
  if (!existsSync(dirname(path)))
    throw new FileError(`cannot write ${file}: the folder ${dirname(file)} does not exist; create it first`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
  } catch (error) {
    throw new FileError(`cannot write ${file}: ${reasonOf(error)}`)
  }
}

/** Whether a file name looks more like a text. */
function looksLikeText(file: string): boolean {
  return /\s/.test(file.trim()) || !/[./\\]/.test(file)
}

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'the file name is too long',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? message : `${code}${REASONS[code] ? `, ${REASONS[code]}` : ''}`
}
