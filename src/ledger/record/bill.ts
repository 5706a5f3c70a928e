import type { BillLine, BillPlace, BillQuery, BillRow } from '../bill.ts'
import { type AskedValue, type Asking, row, rows } from './asking.ts'

const PLACE = ['client', 'session', 'provider', 'model'] as const
const SUMS = [
  'tries',
  'failed',
  'unpriced',
  'usd',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_write_tokens',
] as const
const SUM_DEFAULT_LIMIT = 1_000

type Sums = Record<(typeof SUMS)[number], number>

const ADDED = `ON CONFLICT (at, client, session, provider, model) DO UPDATE SET
  ${SUMS.map(name => `${name} = bill.${name} + excluded.${name}`).join(', ')}`

/** Adds lines to the bill. */
export function* addToBill(lines: readonly BillLine[]): Asking<void> {
  // Always in the same order, or two processes could wait for each other.
  for (const line of [...lines].sort(byKey)) {
    const { at, client, session, provider, model, tries, failed, unpriced, usd, usage } = line
    const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage
    const tokens = [inputTokens, outputTokens, cachedTokens, cacheWriteTokens]
    yield* row(
      `INSERT INTO bill (at, ${PLACE.join(', ')}, ${SUMS.join(', ')})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ${ADDED}`,
      ...[at, client, session, provider, model, tries, failed, unpriced, usd, ...tokens],
    )
  }
}

function byKey(a: BillLine, b: BillLine): number {
  const key = ({ at, client, session, provider, model }: BillLine) =>
    [at, client, session, provider, model].join('\n')
  return key(a) < key(b) ? -1 : 1
}

/** The sums of the lines that a query names, the largest first. */
export function* billOf(query: BillQuery): Asking<BillRow[]> {
  const { since, until, by = [], limit = SUM_DEFAULT_LIMIT } = query
  const values: AskedValue[] = []
  const where: string[] = []
  const asked = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return
    values.push(value)
    where.push(`${condition} $${values.length}`)
  }
  asked('at >=', since)
  asked('at <', until)
  for (const name of PLACE) asked(`${name} =`, query[name])
  // Names of columns come from a fixed list, never from a caller's text.
  const groups = (['at', ...PLACE] as const).filter(name => by.includes(name))
  values.push(limit)
  const found = yield* rows<Sums & Partial<BillPlace> & { at?: number }>(
    `SELECT ${[...groups, ...SUMS.map(name => `sum(${name})::float8 AS ${name}`)].join(', ')} FROM bill
     ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
     ${groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`} HAVING count(*) > 0
     ORDER BY usd DESC, input_tokens DESC${groups.map(name => `, ${name}`).join('')} LIMIT $${values.length}`,
    ...values,
  )
  return found.map(one => ({
    ...Object.fromEntries(groups.map(name => [name, one[name]])),
    tries: one.tries,
    failed: one.failed,
    unpriced: one.unpriced,
    usd: one.usd,
    usage: {
      inputTokens: one.input_tokens,
      outputTokens: one.output_tokens,
      cachedTokens: one.cached_tokens,
      cacheWriteTokens: one.cache_write_tokens,
    },
  }))
}

/** Whether there are lines of before this time, epoch milliseconds. */
export function* hasOldBill(before: number): Asking<boolean> {
  return (yield* rows('SELECT 1 FROM bill WHERE at > 0 AND at < $1 LIMIT 1', before)).length > 0
}

/** Sums up the lines of before this time: totals only ever grow, whatever is forgotten. */
export function* sumUpBill(before: number): Asking<void> {
  const groups = 'client, provider, model'
  yield* row(
    `INSERT INTO bill (at, session, ${groups}, ${SUMS.join(', ')})
     SELECT 0, '', ${groups}, ${SUMS.map(name => `sum(${name})`).join(', ')} FROM bill WHERE at > 0 AND at < $1
     GROUP BY ${groups} ORDER BY ${groups} ${ADDED}`,
    before,
  )
  yield* row('DELETE FROM bill WHERE at > 0 AND at < $1', before)
}
