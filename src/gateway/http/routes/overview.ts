import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import type { Agenda } from '../../../ledger/agenda.ts'
import { scopes } from '../../../provider/keys.ts'
import { eventToJson } from '../../../queue/operation-json.ts'
import type { Time } from '../../../time/time.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { Workflows } from '../../../workflow/workflows.ts'
import { daemonStatusOf } from '../daemon-status.ts'
import { type Facilities, inForce } from '../facilities.ts'
import type { Ends, History } from '../history.ts'
import { noticesToActOn, toldRuns } from '../notices-to-act-on.ts'
import { ends, MOST_RUNS, MOST_UNKNOWNS, overview, providerHistory } from '../overview-shape.ts'
import { Recent } from '../recent.ts'
import { type Route, route } from '../route.ts'
import { HOUR_MS, STEPS, span, stretchOf } from '../stretch.ts'
import { name } from '../value-schemas.ts'
import { knownProvider } from './providers.ts'

/** How old an overview may be, in milliseconds: any number of browsers cost one. */
const OVERVIEW_VALID_MS = 1_000

/** The current state and recent history, at the same cost for any number of operations. */
export function overviewRoutes(history: History, time: Time): readonly Route[] {
  const recent = new Recent<Awaited<ReturnType<typeof overviewOf>>>(time, OVERVIEW_VALID_MS)

  const getOverview = route({
    method: 'get',
    path: '/v1/overview',
    id: 'getOverview',
    summary: 'The state of everything, what comes due when, and unknown failures; up to a second old',
    demand: 'look',
    query: z.strictObject({
      ahead_ms: z
        .int()
        .min(STEPS * 1_000)
        .max(30 * 86_400_000)
        .optional()
        .describe('How far the agenda reaches, in milliseconds. Default one hour.'),
    }),
    answers: {
      200: {
        description: 'The overview',
        schema: overview,
      },
    },
    async run({ query: { ahead_ms: ahead = HOUR_MS } }, facilities) {
      return { json: await recent.get(String(ahead), () => overviewOf(facilities, ahead)) }
    },
  })

  const failures = route({
    method: 'get',
    path: '/v1/failures',
    id: 'getFailures',
    summary: 'Failed tries by class over time, up to a week back, and how operations ended',
    demand: 'look',
    query: z.strictObject({ span_ms: span }),
    answers: { 200: { description: 'In steps of equal length', schema: ends } },
    async run({ query: { span_ms: spanMs = HOUR_MS } }) {
      await history.ready()
      return { json: endsToJson(history.ends(stretchOf(spanMs))) }
    },
  })

  const ofProvider = route({
    method: 'get',
    path: '/v1/providers/{id}/history',
    id: 'getProviderHistory',
    summary: 'What happened to a provider, up to a week back: changes, failures, spending',
    demand: 'look',
    params: z.strictObject({ id: name }),
    query: z.strictObject({ span_ms: span }),
    answers: {
      200: {
        description: 'Its history',
        schema: providerHistory,
      },
    },
    async run({ params: { id }, query: { span_ms: spanMs = HOUR_MS } }, facilities) {
      const { quota } = await knownProvider(inForce(facilities), id)
      await history.ready()
      const found = history.ends(stretchOf(spanMs), id)
      const spent = await facilities.ledger.providers.spent([scopes.quota(quota)], found.from)
      const { succeeded: _, dead: __, ...json } = endsToJson(found)
      return {
        json: {
          ...json,
          changes: history.changesOf(id).map(({ at, type, data }) => {
            const { id: ___, ...change } = eventToJson({ id: 0, at, type, data })
            return change
          }),
          spent: spent.map(({ at, usd, tokens, requests }) => ({
            at: timeToJson(at),
            usd,
            tokens,
            requests,
          })),
        },
      }
    },
  })

  return [getOverview, failures, ofProvider]
}

async function overviewOf(facilities: Facilities, aheadMs: number) {
  const { queue } = inForce(facilities)
  const { ledger, time } = facilities
  const from = time.now()
  const stepMs = Math.round(aheadMs / STEPS)
  const workflows = new Workflows(queue)
  const told = toldRuns(ledger)
  const [{ json }, agenda, unknowns, runs, notices, lastEvent] = await Promise.all([
    daemonStatusOf(facilities),
    ledger.agenda({ from, stepMs, steps: STEPS }),
    ledger.unknowns({ labelled: false }, { limit: MOST_UNKNOWNS }),
    workflows.list({ state: ['running'] }, { limit: MOST_RUNS }),
    noticesToActOn(ledger, told),
    ledger.lastEvent(),
  ])
  // A question may be in an older run than those; a notice tells of it.
  const older = (await told).filter(
    ({ id, state }) => state === 'running' && !runs.items.some(({ run }) => run.id === id),
  )
  const shown = await Promise.all(older.map(({ id }) => workflows.show(id).catch(() => undefined)))
  const asking = shown.filter(view => view !== undefined)
  const parked = await Promise.all(
    unknowns.items.map(({ fingerprint }) => parkedFor(facilities, fingerprint)),
  )
  return {
    at: timeToJson(from),
    status: json,
    agenda: agendaToJson(agenda, from, stepMs),
    unknowns: unknowns.items.map(({ fingerprint, provider, count, lastSeenAt, samples }, index) => ({
      fingerprint,
      ...present({ provider }),
      count,
      parked: parked[index] ?? 0,
      last_seen_at: timeToJson(lastSeenAt),
      message: samples.at(-1)?.failure.message ?? '',
    })),
    questions: [...runs.items, ...asking].flatMap(({ run, steps }) =>
      steps.flatMap(({ step, question }) =>
        question === undefined ? [] : [{ run: run.id, workflow: run.workflow, step: step.id, question }],
      ),
    ),
    notices,
    last_event: lastEvent,
  }
}

/** Operations that wait for the label of a failure. */
async function parkedFor({ ledger }: Facilities, fingerprint: string): Promise<number> {
  const { total } = await ledger.counts({ fingerprint, parkedFor: 'label' })
  return total
}

function agendaToJson({ overdue, due, later, held, waiting }: Agenda, from: number, stepMs: number) {
  return { from: timeToJson(from), step_ms: stepMs, overdue, due, later, held, waiting }
}

function endsToJson({ from, stepMs, failures, kinds, succeeded, dead }: Ends) {
  return { from: timeToJson(from), step_ms: stepMs, failures, kinds, succeeded, dead }
}
