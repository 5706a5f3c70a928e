import { present } from '../failure/present.ts'
import type { OperationFilter, Page, PageRequest } from './filter.ts'
import type { Ledger } from './ledger.ts'
import type { Operation } from './operation.ts'

/** The pages of a list, each read when it is asked for. */
export async function* pagesOf<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<readonly T[]> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await read({ limit, ...present({ cursor }) })
    yield items
    if (next === undefined) return
    cursor = next
  }
}

/** The largest page. */
const AT_ONCE = 1_000

/** Operations by id, without those no longer stored. Read in batches: one by one, 1,000 take seconds over a network. */
export async function operationsById(
  ledger: Pick<Ledger, 'list'>,
  ids: readonly string[],
  filter: OperationFilter = {},
): Promise<Map<string, Operation>> {
  const found = new Map<string, Operation>()
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const batch = { ...filter, ids: ids.slice(from, from + AT_ONCE) }
    for await (const page of pagesOf(request => ledger.list(batch, request), AT_ONCE))
      for (const operation of page) found.set(operation.id, operation)
  }
  return found
}
