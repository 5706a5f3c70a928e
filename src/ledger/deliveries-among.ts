import type { LedgerEvent } from './event.ts'
import type { Ledger } from './ledger.ts'
import { operationsById } from './pages.ts'

/** The operations of some events that deliver notices: they are none of the user's, and count nowhere. */
export async function deliveriesAmong(
  ledger: Pick<Ledger, 'list'>,
  events: readonly LedgerEvent[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(events.flatMap(({ operation }) => operation ?? []))
  return new Set((await operationsById(ledger, [...ids], { deliveries: 'only' })).keys())
}
