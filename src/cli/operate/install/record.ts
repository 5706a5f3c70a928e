import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { stateFolder } from '../../../config/data-folder.ts'
import type { Terminal } from '../../terminal.ts'
import { ClientFile } from '../mcp/client-file.ts'
import type { Patch } from './patch.ts'

/** What an installation has written, so that it can be taken away byte by byte. */
export interface Installation {
  client: string
  /** The project, if it is installed there. */
  project?: string
  /** Words that start Mulligan there. */
  words: readonly string[]
  /** Whether sessions that a limit stopped are continued. Default false. */
  continues?: boolean
  /** The proxy that the client is pointed at. Default none. */
  proxy?: string
  files: readonly WrittenFile[]
  /** Folders that were made for it, the outermost first. */
  folders: readonly string[]
}

/** A file of an installation: made for it, or changed in some places. */
export interface WrittenFile {
  file: string
  /** Whether it did not exist before. */
  isNew: boolean
  patches: readonly Patch[]
}

/** Where it is remembered what was installed: never where a config says, because anybody can put one into a folder. */
export function recordsFolder(
  { data }: { data?: string | undefined },
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
): string {
  return join(data === undefined ? stateFolder(env) : resolve(cwd, data), 'install')
}

/** The record of one installation. */
export function recordFile(folder: string, client: string, project: string | undefined): string {
  const where =
    project === undefined ? '' : `-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`
  return join(folder, `${client}${where}.json`)
}

/** The installation of a record; undefined if there is none, or it is broken. */
export function readInstallation(file: string): Installation | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isInstallation(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function writeInstallation(file: string, installation: Installation): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  ClientFile.read(file).write(`${JSON.stringify(installation, undefined, 2)}\n`)
}

/** All installations that are remembered. */
export function installations(folder: string): readonly Installation[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(name => readInstallation(join(folder, name)) ?? [])
}

function isInstallation(value: unknown): value is Installation {
  const { client, project, words, continues, proxy, files, folders } = fieldsOf(value)
  return (
    typeof client === 'string' &&
    (project === undefined || typeof project === 'string') &&
    areTexts(words) &&
    (continues === undefined || typeof continues === 'boolean') &&
    (proxy === undefined || typeof proxy === 'string') &&
    areTexts(folders) &&
    Array.isArray(files) &&
    files.every(isWrittenFile)
  )
}

function isWrittenFile(value: unknown): boolean {
  const { file, isNew, patches } = fieldsOf(value)
  return (
    typeof file === 'string' && typeof isNew === 'boolean' && Array.isArray(patches) && patches.every(isPatch)
  )
}

function isPatch(value: unknown): boolean {
  const { at, inserted, removed } = fieldsOf(value)
  return Number.isSafeInteger(at) && typeof inserted === 'string' && typeof removed === 'string'
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
