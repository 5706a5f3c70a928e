import { z } from 'zod'
import { EVENT_TYPES, type LedgerEvent } from '../../../ledger/event.ts'
import { eventToJson } from '../../../queue/operation-json.ts'
import type { EventFeed } from '../event-feed.ts'
import { event } from '../operation-schemas.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'

const position = z.int().min(0)
const types = z.array(z.enum(EVENT_TYPES)).min(1).optional().describe('Only events of these types.')

const page = route({
  method: 'get',
  path: '/v1/events',
  id: 'listEvents',
  summary: 'All events, oldest first, a page at a time',
  demand: 'look',
  query: z.strictObject({
    after: position.optional().describe('Only events after this one. Default 0: from the beginning.'),
    limit: z.int().min(1).max(1000).optional().describe('Page size. Default 500.'),
    type: types,
  }),
  answers: {
    200: {
      description: 'A page; pass the id of its last event as `after` to get the next',
      schema: z.object({ events: z.array(event) }),
    },
  },
  async run({ query: { after, limit, type } }, { ledger }) {
    const events = await ledger.events({
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
      ...(type === undefined ? {} : { types: type }),
    })
    return { json: { events: events.map(eventToJson) } }
  },
})

/** Events as they happen. */
export function eventRoutes(feed: EventFeed): readonly Route[] {
  const stream = route({
    method: 'get',
    path: '/v1/events/stream',
    id: 'streamEvents',
    summary: 'Events as they happen (SSE); with Last-Event-ID, continues after that event without a gap',
    demand: 'look',
    query: z.strictObject({
      after: position.optional().describe('Start after this event. Default now; Last-Event-ID overrides it.'),
      operation: z.string().min(1).max(100).optional().describe('Only events of this operation.'),
      type: types,
    }),
    answers: {
      200: { description: 'Each event as JSON, with its number as id', type: 'text/event-stream' },
    },
    async run({ query: { after, operation, type }, header, signal }, { ledger }) {
      const from = lastEventId(header('last-event-id')) ?? after ?? (await ledger.lastEvent())
      const wanted = (each: LedgerEvent) =>
        (operation === undefined || each.operation === operation) &&
        (type === undefined || type.includes(each.type))
      return new Response(streamOf(feed, from, wanted, signal), {
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
      })
    },
  })
  return [page, stream]
}

function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw new Problem(
    400,
    'invalid',
    `Last-Event-ID must be the number of an event, not ${JSON.stringify(header)}`,
  )
}

/** Makes one chunk at a time, so a slow client costs no more memory than that. */
function streamOf(
  feed: EventFeed,
  from: number,
  wanted: (event: LedgerEvent) => boolean,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const gone = new AbortController()
  const ends = AbortSignal.any([signal, gone.signal])
  let at = from
  let isBegun = false
  return new ReadableStream(
    {
      async pull(controller) {
        // Sent at once, so the client knows it is connected.
        if (!isBegun) {
          isBegun = true
          controller.enqueue(encoder.encode('retry: 1000\n\n'))
          return
        }
        const events = await feed.after(at, ends)
        if (ends.aborted) {
          controller.close()
          return
        }
        at = events.at(-1)?.id ?? at
        const text = events.filter(wanted).map(eventInSse).join('')
        controller.enqueue(encoder.encode(text === '' ? ': alive\n\n' : text))
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 1 },
  )
}

function eventInSse(each: LedgerEvent): string {
  return `id: ${each.id}\nevent: ${each.type}\ndata: ${JSON.stringify(eventToJson(each))}\n\n`
}
