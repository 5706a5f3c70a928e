import { LedgerError } from '../../ledger/error.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { MOVED, TABLES } from './table.ts'

/** How long to wait for open transactions, in milliseconds. */
const WAIT_MS = 10_000

/** Tables locked against writers by a separate connection of ours. */
export interface FrozenTables {
  /** Records where they were moved to and releases the lock. Throws if the lock was lost, or others wait for it. */
  setMoved(to: string): Promise<void>
  close(): Promise<void>
}

/** Locks every table to move against writers; readers continue. */
export async function freezeTables({ database, place }: PostgresLedger): Promise<FrozenTables> {
  const client = await database.connectAlone()
  let isEnded = false
  client.on('error', () => {})
  const close = async () => {
    if (isEnded) return
    isEnded = true
    await client.end().catch(() => {})
  }
  try {
    await client.query(`BEGIN READ WRITE; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = ${WAIT_MS};
      LOCK TABLE ${TABLES.map(({ name }) => name).join(', ')} IN SHARE MODE`)
  } catch (error) {
    await close()
    throw new LedgerError(
      'in_use',
      `another process is writing to ${place.label}: stop all daemons, end open transactions, and try again (${(error as Error).message})`,
      { cause: error },
    )
  }
  return {
    setMoved: async to => {
      const { rows } = await client.query(
        'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
      )
      if (rows.length > 0)
        throw new LedgerError(
          'in_use',
          `another process is waiting to write to ${place.label} (backend ${rows[0].pid}) and would do so afterwards: stop all daemons, and run it again`,
        )
      try {
        await client.query(
          'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          [MOVED, JSON.stringify(to)],
        )
        await client.query('COMMIT')
      } catch (error) {
        throw new LedgerError(
          'io',
          `the lock on ${place.label} was lost, so another process may have written to it: run it again (${(error as Error).message})`,
          { cause: error },
        )
      }
      await close()
    },
    close,
  }
}
