import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { quietly } from '../../time/clean-up.ts'
import { LedgerError } from '../error.ts'
import { toLedgerError } from './sqlite-error.ts'

/** Fills a new file that no other user can read; nothing of it is left if that fails. */
export async function intoNewFile(target: string, fill: () => Promise<unknown>): Promise<void> {
  if (existsSync(target))
    throw new LedgerError('exists', `${target} already exists: a backup never replaces a file`)
  try {
    // Made first, so that no other user can read it from its first byte on.
    closeSync(openSync(target, 'wx', 0o600))
  } catch (error) {
    throw toLedgerError(error, `cannot write the backup ${target}`)
  }
  try {
    await fill()
  } catch (error) {
    void quietly(() => rmSync(target, { force: true }))
    throw error
  }
}
