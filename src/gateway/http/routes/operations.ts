import { z } from 'zod'
import { hideSecrets } from '../../../capability/secret/hide-secrets.ts'
import { present } from '../../../failure/present.ts'
import { MOST_SORTED, SORT_KEYS } from '../../../ledger/filter.ts'
import { isEnded, type Operation } from '../../../ledger/operation.ts'
import { missing } from '../../../queue/error.ts'
import { eventToJson, operationToJson, triedToJson } from '../../../queue/operation-json.ts'
import { attempt, counts, event, operation } from '../../../queue/operation-shape.ts'
import { inTurns } from '../../../time/in-turns.ts'
import { waitAtMost } from '../../../time/wait-at-most.ts'
import { backgroundOf, type Facilities, inForce } from '../facilities.ts'
import { filter, filterOf, filterShape, operationPath } from '../operation-schemas.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'

/** Longest time that a request waits for the end of an operation, in milliseconds. */
const LONGEST_WAIT_MS = 60_000

/** Time for an exact count, in milliseconds; after that, an estimate. */
const COUNT_PATIENCE_MS = 100

const listQuery = z.strictObject({
  id: filter.shape.id,
  ...filterShape,
  limit: z.int().min(1).max(1000).optional().describe('Page size; fewer if they are large. Default 50.'),
  cursor: z.string().max(500).optional().describe('`next` of the previous page.'),
  sort: z
    .enum(SORT_KEYS)
    .optional()
    .describe(
      `Sort the newest ${MOST_SORTED} matches by this, largest first, on one page. Default newest first.`,
    ),
  ascending: z.boolean().optional().describe('With sort: smallest first. Default false.'),
})

const list = route({
  method: 'get',
  path: '/v1/operations',
  id: 'listOperations',
  summary: 'Operations that match all filters, newest first, a page at a time',
  demand: 'look',
  query: listQuery,
  answers: {
    200: {
      description: 'A page',
      schema: z.object({
        operations: z.array(operation),
        next: z.string().optional().describe('Cursor of the next page; missing on the last one.'),
      }),
    },
  },
  async run({ query: { limit, cursor, sort, ascending, ...given } }, facilities) {
    const now = inForce(facilities)
    const page = await facilities.ledger.list(filterOf(given), present({ limit, cursor, sort, ascending }))
    const operations = await inTurns(page.items, item =>
      operationToJson(item, backgroundOf(now, item.capability)),
    )
    return { json: { operations, ...present({ next: page.next }) } }
  },
})

const count = route({
  method: 'get',
  path: '/v1/operations/count',
  id: 'countOperations',
  summary: 'How many operations match all filters',
  demand: 'look',
  query: z.strictObject({
    ...filterShape,
    exact: z.boolean().optional().describe('Count exactly, however long that takes. Default false.'),
  }),
  answers: {
    200: {
      description: 'Counts, by state',
      schema: counts,
    },
  },
  async run({ query: { exact = false, ...filter } }, { ledger }) {
    const options = exact ? {} : { patienceMs: COUNT_PATIENCE_MS }
    const { parkedFor, deadAs, ...same } = await ledger.counts(filterOf(filter), options)
    return { json: { ...same, parked_for: parkedFor, dead_as: deadAs } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/operations/{id}',
  id: 'getOperation',
  summary: 'One operation; with wait_ms, answers when it ends or the time is up',
  demand: 'look',
  params: operationPath,
  query: z.strictObject({
    wait_ms: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_MS)
      .optional()
      .describe('Wait this long for its end. Default 0.'),
  }),
  answers: { 200: { description: 'The operation', schema: operation } },
  async run({ params: { id }, query: { wait_ms: waitMs = 0 }, signal }, facilities) {
    const now = inForce(facilities)
    const found = await existing(facilities, id)
    if (waitMs > 0 && !isEnded(found))
      await waitAtMost(waitMs, ends => now.queue.wait(id, { signal: ends }), facilities.time, signal)
    const json = operationToJson(await existing(facilities, id), backgroundOf(now, found.capability))
    return { json }
  },
})

const timeline = route({
  method: 'get',
  path: '/v1/operations/{id}/timeline',
  id: 'getTimeline',
  summary: 'All events of an operation, and of its providers while it waited, oldest first',
  demand: 'look',
  params: operationPath,
  answers: { 200: { description: 'Its events', schema: z.object({ timeline: z.array(event) }) } },
  async run({ params: { id } }, facilities) {
    await existing(facilities, id)
    return {
      json: { timeline: (await facilities.ledger.timeline(id, { providers: true })).map(eventToJson) },
    }
  },
})

const attempts = route({
  method: 'get',
  path: '/v1/operations/{id}/attempts',
  id: 'getAttempts',
  summary: 'All tries of an operation, oldest first, with failures, evidence and verdicts',
  demand: 'look',
  params: operationPath,
  answers: { 200: { description: 'Its tries', schema: z.object({ attempts: z.array(attempt) }) } },
  async run({ params: { id } }, facilities) {
    await existing(facilities, id)
    return { json: { attempts: (await facilities.ledger.attempts(id)).map(triedToJson) } }
  },
})

const result = route({
  method: 'get',
  path: '/v1/operations/{id}/result',
  id: 'getResult',
  summary: 'The full result of a successful operation',
  demand: 'look',
  params: operationPath,
  answers: { 200: { description: 'The result', schema: z.object({ result: z.unknown() }) } },
  async run({ params: { id } }, facilities) {
    const now = inForce(facilities)
    const ended = await now.queue.result(id)
    if (ended.state === 'pending') throw new Problem(409, 'not_ended', `${id} is ${ended.operation.state}`)
    if (ended.state === 'dead') throw ended.error
    const { capability } = backgroundOf(now, ended.operation.capability)
    return { json: { result: hideSecrets(ended.value ?? null, capability) } }
  },
})

/** The operation with this id. Throws a `Problem` if it does not exist. */
export async function existing({ ledger }: Facilities, id: string): Promise<Operation> {
  const found = await ledger.get(id)
  if (!found) throw missing(id)
  return found
}

/** Reading operations. */
export const operationRoutes: readonly Route[] = [list, count, get, timeline, attempts, result]
