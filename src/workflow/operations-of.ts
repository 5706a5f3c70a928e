import { present } from '../failure/present.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Operation } from '../ledger/operation.ts'

/** The largest page. */
const AT_ONCE = 1_000

/** Operations by id, without those no longer stored. Read in batches: one by one, 1,000 take seconds over a network. */
export async function operationsOf(
  ledger: Pick<Ledger, 'list'>,
  ids: readonly string[],
): Promise<Map<string, Operation>> {
  const found = new Map<string, Operation>()
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    let cursor: string | undefined
    do {
      const page = await ledger.list(
        { ids: ids.slice(from, from + AT_ONCE) },
        { limit: AT_ONCE, ...present({ cursor }) },
      )
      for (const operation of page.items) found.set(operation.id, operation)
      cursor = page.next
    } while (cursor !== undefined)
  }
  return found
}
