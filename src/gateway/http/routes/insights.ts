import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { eventToJson } from '../../../queue/operation-json.ts'
import type { Time } from '../../../time/time.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { type Facilities, inForce } from '../facilities.ts'
import type { History, ProviderChange } from '../history.ts'
import { insights, MOST_FAILURES, MOST_PROVIDERS } from '../insights-shape.ts'
import { Recent } from '../recent.ts'
import { type Route, route } from '../route.ts'
import type { Spread } from '../spread.ts'
import { HOUR_MS, span, stretchOf } from '../stretch.ts'

/** How old an answer may be, in milliseconds: any number of browsers cost one. */
const VALID_MS = 2_000

/** How much was done over time, counted from events: it costs the same for any number of operations. */
export function insightRoutes(history: History, time: Time): readonly Route[] {
  const recent = new Recent<z.output<typeof insights>>(time, VALID_MS)
  const getInsights = route({
    method: 'get',
    path: '/v1/insights',
    id: 'getInsights',
    summary:
      'Throughput, waiting and running time, cost, frequent failures and providers over time, up to a week back',
    demand: 'look',
    query: z.strictObject({ span_ms: span }),
    answers: { 200: { description: 'In steps of equal length', schema: insights } },
    async run({ query: { span_ms: spanMs = HOUR_MS } }, facilities) {
      await history.ready()
      return { json: await recent.get(String(spanMs), () => insightsOf(history, facilities, spanMs)) }
    },
  })
  return [getInsights]
}

async function insightsOf(history: History, facilities: Facilities, spanMs: number) {
  const { ledger } = facilities
  const stretch = stretchOf(spanMs)
  const work = history.work(stretch, MOST_FAILURES)
  const quantiles = (spreads: readonly Spread[]) => ({
    median: spreads.map(spread => spread.quantile(0.5) ?? null),
    p95: spreads.map(spread => spread.quantile(0.95) ?? null),
  })
  const statuses = await inForce(facilities).health.status()
  const providers = statuses
    .map(({ id }) => ({
      id,
      changes: history.changesOf(id).map(changeToJson),
      throttled: work.throttled[id] ?? work.succeeded.map(() => 0),
    }))
    .sort((a, b) => b.changes.length - a.changes.length)
    .slice(0, MOST_PROVIDERS)
  return {
    from: timeToJson(work.from),
    step_ms: work.stepMs,
    ...(work.knownFrom === undefined ? {} : { known_from: timeToJson(work.knownFrom) }),
    succeeded: work.succeeded,
    dead: work.dead,
    running_ms: quantiles(work.ran),
    waiting_ms: quantiles(work.waited),
    cost_usd: work.costUsd,
    failures: await Promise.all(
      work.failures.map(async failure => ({
        ...failure,
        ...present({ message: await messageOf(ledger, failure.fingerprint) }),
      })),
    ),
    providers,
  }
}

/** The text of a failure; undefined if every operation that failed with it has gone on since. */
async function messageOf(ledger: Ledger, fingerprint: string): Promise<string | undefined> {
  const { items } = await ledger.list({ fingerprint }, { limit: 1 })
  return items[0]?.failure?.message
}

function changeToJson({ at, type, data }: ProviderChange) {
  const { id: _, ...change } = eventToJson({ id: 0, at, type, data })
  return change
}
