import { openLedger, type SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import type { Time } from '../time/time.ts'

/** A ledger that lives in the memory of this process and ends with it: the real one, without a file. */
export function memoryLedger({ time }: { time?: Time } = {}): Promise<SqliteLedger> {
  return openLedger({ file: ':memory:', ...(time ? { time } : {}) })
}
