import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isThere } from '../../config/private-folder.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { DatabaseSync } from '../../ledger/sqlite/node-sqlite.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { isWritable } from '../lock.ts'
import { LEDGER_BUSY_MS } from './lock.ts'

/**
 * Who keeps others from writing to the ledger of a data folder, by process id as far as the system says: `free` if nobody
 * does. Undefined without a ledger. Writes nothing.
 */
export function ledgerLockOf(
  folder: string,
  waitMs: number = LEDGER_BUSY_MS,
): readonly number[] | 'free' | undefined {
  const file = join(folder, LEDGER_NAME)
  if (!isThere(file)) return undefined
  const db = new DatabaseSync(file, { timeout: waitMs })
  return cleaningUp(
    () => (isWritable(db) ? 'free' : writersOf(`${file}-shm`)),
    () => db.close(),
  )
}

/** Processes with an exclusive lock on a file, as Linux lists them; none elsewhere. */
function writersOf(file: string): readonly number[] {
  try {
    const { ino } = statSync(file)
    const lines = readFileSync('/proc/locks', 'utf8').split('\n')
    const pids = lines.flatMap(line => {
      const words = line.split(/\s+/)
      return words[3] === 'WRITE' && words[5]?.endsWith(`:${ino}`) ? [Number(words[4])] : []
    })
    return [...new Set(pids)].filter(pid => pid > 0 && pid !== process.pid)
  } catch {
    return []
  }
}
