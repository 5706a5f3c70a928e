import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { FailureKind } from '../src/failure/failure.ts'
import type { OperationFilter } from '../src/ledger/filter.ts'
import { openForReading } from '../src/ledger/sqlite/connection.ts'
import { Listing } from '../src/ledger/sqlite/listing.ts'
import { BEGIN, COMMON_WORD, DAY_MS, FAILURES, RARE_WORD, worldIn } from './filters-world.ts'

// How long filters, pages, searches and counts take on a large ledger, through the calls that people make. Each query
// runs again and again for a while; where one is slow, the plan of the database is printed below it.
//
// SIZE=1000000 operations; FILE= to keep the ledger for the next run; LEAST_MS= how long each query is repeated.

const say = (line = '') => process.stdout.write(`${line}\n`)
const SIZE = Number(process.env.SIZE ?? 1_000_000)
const LEAST_MS = Number(process.env.LEAST_MS ?? 400)
const MOST_ROUNDS = 200
/** Medians above this are slow for a page that somebody looks at, in milliseconds. */
const SLOW_MS = 50

const folder = mkdtempSync(join(tmpdir(), 'mulligan-filters-'))
const file = process.env.FILE ?? join(folder, 'ledger.db')
const ledger = await worldIn(file, SIZE, say)

const day = BEGIN + 20 * DAY_MS
const kindOf = (index: number) => FAILURES.at(index)?.kind as FailureKind
const filters: Record<string, OperationFilter> = {
  nothing: {},
  'state, common': { state: 'succeeded' },
  'state, rare': { state: 'parked' },
  'state, rarest': { state: 'running' },
  'capability, common': { capability: 'capability-0' },
  'capability, rare': { capability: 'capability-19' },
  'provider, common': { provider: 'claude' },
  'provider, rare': { provider: 'spare' },
  'class, common': { class: 'throttle' },
  'class, rare': { class: 'unknown' },
  'kind, common': { kind: kindOf(0) },
  'kind, rare': { kind: kindOf(-1) },
  'fingerprint, common': { fingerprint: 'fp1:0000000000000000' },
  'fingerprint, rare': { fingerprint: 'fp1:00000000000007cf' },
  'parked for': { parkedFor: 'login' },
  'held by': { heldBy: 'claude' },
  session: { session: 'session-17' },
  'agent session': { agentSession: 'agent-17' },
  'one day': { createdFrom: day, createdBefore: day + DAY_MS },
  'text, common word': { text: COMMON_WORD },
  'text, rare word': { text: RARE_WORD },
  'text, beginning of a word': { text: 'overl' },
  'text, three words': { text: `${COMMON_WORD} customer overloaded` },
  'state + capability': { state: 'dead', capability: 'capability-3' },
  'state + provider': { state: 'dead', provider: 'codex' },
  'state + class': { state: 'dead', class: 'transient' },
  'rare state + common provider': { state: 'running', provider: 'claude' },
  'rare state + common class': { state: 'scheduled', class: 'throttle' },
  'rare capability + common class': { capability: 'capability-19', class: 'throttle' },
  'common class + rare provider': { class: 'throttle', provider: 'spare' },
  'rare state + one day': { state: 'parked', createdFrom: day, createdBefore: day + DAY_MS },
  'provider + one day': { provider: 'claude', createdFrom: day, createdBefore: day + DAY_MS },
  'class + one day': { class: 'throttle', createdFrom: day, createdBefore: day + DAY_MS },
  'text, common word + rare state': { text: COMMON_WORD, state: 'scheduled' },
  'text, common word + one day': { text: COMMON_WORD, createdFrom: day, createdBefore: day + DAY_MS },
  'text, rare word + provider': { text: RARE_WORD, provider: 'claude' },
  'several states, capabilities': { state: ['dead', 'parked'], capability: ['capability-3', 'capability-4'] },
}

interface Times {
  p50: number
  p99: number
}

async function times(run: () => unknown): Promise<Times> {
  await run()
  const took: number[] = []
  const end = performance.now() + LEAST_MS
  while (took.length < 3 || (performance.now() < end && took.length < MOST_ROUNDS)) {
    const start = performance.now()
    await run()
    took.push(performance.now() - start)
  }
  took.sort((a, b) => a - b)
  return { p50: at(took, 0.5), p99: at(took, 0.99) }
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number
const inMs = ({ p50, p99 }: Times) => `${p50.toFixed(2)} / ${p99.toFixed(2)}`

/** What the database says it does for the statements of a query. */
function plansOf(ask: (listing: Listing) => unknown): string[] {
  const db = openForReading(file)
  const plans: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = (sql: string) => {
    if (/^SELECT/.test(sql)) plans.push(planOf(prepare, sql))
    return prepare(sql)
  }
  ask(new Listing(db))
  db.close()
  return [...new Set(plans)]
}

function planOf(prepare: DatabaseSync['prepare'], sql: string): string {
  const rows = prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
  return rows.map(({ detail }) => detail).join('; ')
}

const slow: string[] = []
function judge(name: string, { p50 }: Times, ask: (listing: Listing) => unknown): void {
  if (p50 < SLOW_MS) return
  const plans = plansOf(ask).filter(
    plan => !/^SEARCH operations USING INTEGER PRIMARY KEY \(rowid=\?\)$/.test(plan),
  )
  slow.push(`${name}: ${plans.slice(0, 4).join(' | ')}`)
}

say('Milliseconds, median / 99th percentile, of `list` (50 per page) and `counts`, each through its thread.')
say()
say('| filter | matches | first page | deep page | counts |')
say('|---|---|---|---|---|')
for (const [name, filter] of Object.entries(filters)) {
  const { total } = await ledger.counts(filter)
  const first = await times(() => ledger.list(filter))
  // A page from the middle of the ledger; what matches only before it is found there too.
  const page = { cursor: `op_${Math.floor(SIZE / 2)}` }
  const deep = await times(() => ledger.list(filter, page))
  const counts = await times(() => ledger.counts(filter))
  say(`| ${name} | ${total} | ${inMs(first)} | ${inMs(deep)} | ${inMs(counts)} |`)
  judge(`${name}, first page`, first, listing => listing.page(filter, {}, ledger.time.now()))
  judge(`${name}, deep page`, deep, listing => listing.page(filter, page, ledger.time.now()))
  judge(`${name}, counts`, counts, listing => listing.counts(filter, ledger.time.now()))
}

// What `status` asks, and what the main thread is asked while it works.
say()
say('| read | median / 99th percentile |')
say('|---|---|')
const last = await ledger.lastEvent()
const reads: Record<string, () => unknown> = {
  'counts of `status`': () => ledger.counts(),
  'next due time of `status`': () => ledger.nextDueAt(),
  'one operation': () => ledger.get(`op_${Math.floor(SIZE / 3)}`),
  'its timeline': () => ledger.timeline(`op_${Math.floor(SIZE / 3)}`),
  '500 events from the middle': () => ledger.events({ after: Math.floor(last / 2) }),
  'events of a rare type, from the beginning': () => ledger.events({ types: ['provider_blocked'] }),
}
for (const [name, read] of Object.entries(reads)) say(`| ${name} | ${inMs(await times(read))} |`)

say()
say(slow.length === 0 ? `Nothing took longer than ${SLOW_MS} ms.` : `Slower than ${SLOW_MS} ms:`)
for (const line of slow) say(`- ${line}`)
await ledger.close()
rmSync(folder, { recursive: true })
