import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { quietly } from '../time/clean-up.ts'

/**
 * Creates a private file with all its content at once, by linking a finished draft: no process ever reads half a file, and of
 * two that create it at once, one wins. Leaves an existing file as it is.
 */
export function createWhole(file: string, content: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    void quietly(() => rmSync(draft, { force: true }))
  }
}
