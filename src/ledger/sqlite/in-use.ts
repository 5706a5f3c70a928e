import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import { toId } from '../row/rows.ts'
import type { RunnerRecord } from '../runner-record.ts'

/** Throws if the ledger is in use, because a runner must be able to write at any moment. */
export function refuseWhileInUse(
  db: DatabaseSync,
  file: string,
  runners: readonly RunnerRecord[],
  now: number,
): void {
  if (runners.length > 0)
    throw new LedgerError(
      'in_use',
      `${runners.length === 1 ? 'a runner uses' : `${runners.length} runners use`} the ledger ${file} (${runners.map(({ id, label }) => label ?? id).join(', ')}): stop ${runners.length === 1 ? 'it' : 'them'} first; a killed runner counts as gone after a minute`,
    )
  const lease = db.prepare('SELECT operation FROM leases WHERE expires_at > ? LIMIT 1').get(now)
  if (lease)
    throw new LedgerError(
      'in_use',
      `${toId(lease.operation as number)} in the ledger ${file} is running: wait until it has ended`,
    )
}
