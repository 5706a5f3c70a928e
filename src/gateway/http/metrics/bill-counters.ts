import type { TokenUsage } from '../../../failure/stream/usage.ts'
import type { BillRow } from '../../../ledger/bill.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { Counter, type Family } from './series.ts'

/** Most sums that are read; labels are bounded by far less. */
const MOST_ROWS = 10_000

/** The bill of all processes, since the ledger began. Sums of it never shrink, so they are counters. */
export async function billCounters(ledger: Pick<Ledger, 'bill'>): Promise<Family[]> {
  const rows = await ledger.bill({ by: ['client', 'provider', 'model'], limit: MOST_ROWS })
  const tries = new Counter(
    'mulligan_bill_tries_total',
    'Tries of calls and questions to the proxy that used something, by outcome.',
  )
  const usd = new Counter(
    'mulligan_bill_usd_total',
    'What they cost in US dollars, as far as prices are known.',
  )
  const unpriced = new Counter('mulligan_bill_unpriced_total', 'Those of them without a known price.')
  const tokens = new Counter('mulligan_bill_tokens_total', 'Their tokens by kind.')
  for (const row of rows) {
    const labels = placeOf(row)
    tries.add({ ...labels, outcome: 'ok' }, row.tries - row.failed)
    tries.add({ ...labels, outcome: 'failed' }, row.failed)
    usd.add(labels, row.usd)
    unpriced.add(labels, row.unpriced)
    for (const [kind, amount] of tokensByKind(row.usage)) tokens.add({ ...labels, kind }, amount)
  }
  return [tries, usd, unpriced, tokens]
}

function placeOf({ client = '', provider = '', model = '' }: BillRow) {
  return { client, provider, model }
}

/** Each token once: `input` is without those from a cache or written to one. */
export function tokensByKind(usage: TokenUsage | undefined): readonly (readonly [string, number])[] {
  if (!usage) return []
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage
  return [
    ['input', Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)],
    ['cached', cachedTokens],
    ['cache_write', cacheWriteTokens],
    ['output', outputTokens],
  ]
}
