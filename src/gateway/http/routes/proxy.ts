import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { billDay } from '../../../ledger/bill.ts'
import { spend, spendToJson } from '../../../ledger/bill-shape.ts'
import { moment } from '../../../shape/value.ts'
import { timeToJson } from '../../../time/time-json.ts'
import {
  changeHold,
  HOLD_ACTIONS,
  type HoldAction,
  ProxyRefused,
  runningProxy,
} from '../../proxy/ask-proxy.ts'
import { hold } from '../../proxy/hold-shape.ts'
import { notFound } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { instant, name } from '../value-schemas.ts'

const holds = route({
  method: 'get',
  path: '/v1/proxy/holds',
  id: 'listHolds',
  summary: 'The questions that wait in the model proxy of this data folder',
  demand: 'look',
  answers: {
    200: {
      description: 'What waits',
      schema: z.object({
        url: z.string().nullable().describe('Where the proxy listens; null if none runs.'),
        holds: z.array(hold),
      }),
    },
  },
  async run({ signal }, { folder }) {
    const running = await runningProxy(folder, signal)
    return { json: { url: running?.url ?? null, holds: running?.holds ?? [] } }
  },
})

const SUMMARIES: Readonly<Record<HoldAction, string>> = {
  release: 'End the block that a question waits for, so that it is asked now',
  refuse: 'End the wait of a question; its client gets the failure',
}

const changing = (action: HoldAction) =>
  route({
    method: 'post',
    path: `/v1/proxy/holds/{id}/${action}`,
    id: `${action}Hold`,
    summary: SUMMARIES[action],
    demand: 'change',
    params: z.strictObject({ id: name }),
    answers: { 200: { description: 'The question', schema: hold } },
    async run({ params: { id }, signal }, { folder }) {
      try {
        return { json: await changeHold(folder, id, action, signal) }
      } catch (error) {
        if (!(error instanceof ProxyRefused)) throw error
        throw notFound(error.message)
      }
    },
  })

/** What a bill can be summed by. */
const PLACES = ['client', 'session', 'provider', 'model'] as const
/** Most sums of one answer. */
const MOST_SUMS = 1_000

const spent = route({
  method: 'get',
  path: '/v1/spend',
  id: 'getSpend',
  summary: 'What calls and questions to the proxy used and cost, by client, session, provider and model',
  demand: 'look',
  query: z.strictObject({
    by: z.array(z.enum(PLACES)).optional().describe('May be repeated. Default client.'),
    client: name.optional(),
    session: name.optional(),
    provider: name.optional(),
    model: name.optional(),
    since: instant.optional().describe("Default the beginning of the daemon's day."),
  }),
  answers: {
    200: {
      description: `The largest first, at most ${MOST_SUMS}`,
      schema: z.object({ since: moment, spend: z.array(spend) }),
    },
  },
  async run({ query: { by = [PLACES[0]], since: asked, ...place } }, { ledger, time }) {
    const since = asked ?? billDay(time.now())
    const rows = await ledger.bill({ ...present(place), since, by, limit: MOST_SUMS })
    return { json: { since: timeToJson(since), spend: rows.map(spendToJson) } }
  },
})

/** The model proxy: what waits in it, and what was spent. */
export const proxyRoutes: readonly Route[] = [holds, ...HOLD_ACTIONS.map(changing), spent]
