import { present } from '../failure/present.ts'
import type { LedgerEvent } from './event.ts'
import type { Ledger } from './ledger.ts'

/** Most operations asked about at once. */
const STEP = 1_000

/** The operations of some events that deliver notices: they are none of the user's, and count nowhere. */
export async function deliveriesAmong(
  ledger: Pick<Ledger, 'list'>,
  events: readonly LedgerEvent[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(events.flatMap(({ operation }) => operation ?? []))]
  const found = new Set<string>()
  for (let from = 0; from < ids.length; from += STEP) {
    const filter = { ids: ids.slice(from, from + STEP), deliveries: 'only' } as const
    for (let cursor: string | undefined; ; ) {
      const page = await ledger.list(filter, { limit: STEP, ...present({ cursor }) })
      for (const { id } of page.items) found.add(id)
      cursor = page.next
      if (cursor === undefined) break
    }
  }
  return found
}
