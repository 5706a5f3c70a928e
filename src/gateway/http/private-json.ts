import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { checkPrivateFolder } from '../../config/private-folder.ts'
import { quietly } from '../../time/clean-up.ts'

/** The JSON in a private file of the data folder; undefined without one, or if it is damaged. */
export function readPrivateJson(file: string): unknown {
  checkPrivateFolder(dirname(file), [basename(file)])
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Replaces the file as a whole, for its owner only: nobody ever reads half of it. */
export function writePrivateJson(file: string, value: unknown): void {
  checkPrivateFolder(dirname(file), [basename(file)])
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } finally {
    void quietly(() => rmSync(draft, { force: true }))
  }
}
