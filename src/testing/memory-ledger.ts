import { present } from '../failure/present.ts'
import { openLedger, type SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import type { Time } from '../time/time.ts'

/** The real SQLite ledger, in memory instead of a file. It ends with the process. */
export function memoryLedger({ time }: { time?: Time } = {}): Promise<SqliteLedger> {
  return openLedger({ file: ':memory:', ...present({ time }) })
}
