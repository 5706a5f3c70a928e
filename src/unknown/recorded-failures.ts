import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** A recorded failure and its provider. */
export interface RecordedFailure {
  failure: Failure
  provider?: string
}

/** Operations that a backtest reads by default. */
export const RECORDED_DEFAULT = 2_000
const PAGE = 200

/**
 * The failures of operations, newest first, then the samples of unknowns.
 * @param most most operations to read; default 2,000
 */
export async function* recordedFailures(
  ledger: Ledger,
  { most = RECORDED_DEFAULT }: { most?: number } = {},
): AsyncGenerator<RecordedFailure> {
  let left = most
  for (let cursor: string | undefined; left > 0; ) {
    const limit = Math.min(PAGE, left)
    const page = await ledger.list({}, { limit, ...present({ cursor }) })
    for (const { id, failure } of page.items) if (failure) yield* failuresOf(ledger, id)
    left -= page.items.length
    cursor = page.next
    if (cursor === undefined) break
  }
  const { items } = await ledger.unknowns({}, { limit: PAGE })
  for (const { samples, provider } of items)
    for (const { failure, operation } of samples)
      if (operation === undefined) yield { failure, ...present({ provider }) }
}

async function* failuresOf(ledger: Ledger, id: string): AsyncGenerator<RecordedFailure> {
  for (const { failure, provider } of await ledger.attempts(id))
    if (failure) yield { failure, ...present({ provider }) }
}
