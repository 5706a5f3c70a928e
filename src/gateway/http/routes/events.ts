import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { EVENT_TYPES } from '../../../ledger/event.ts'
import { eventToJson } from '../../../queue/operation-json.ts'
import { event } from '../../../queue/operation-shape.ts'
import { inTurns } from '../../../time/in-turns.ts'
import type { EventFeed } from '../event-feed.ts'
import { type EventFilter, EventMessages } from '../event-messages.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import type { StreamWriter } from '../send.ts'

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
    const events = await ledger.events(present({ after, limit, types: type }))
    return { json: { events: await inTurns(events, eventToJson) } }
  },
})

/** Events as they happen. */
export function eventRoutes(feed: EventFeed, most: number): readonly Route[] {
  let open = 0
  const messages = new EventMessages()
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
    async run({ query: { after, operation, type }, header, signal, mayStillLook }, { ledger }) {
      if (open >= most)
        throw new Problem(
          503,
          'too_many_streams',
          `${most} event streams are open already; raise max_streams in [http]`,
          {
            headers: { 'retry-after': '5' },
          },
        )
      const last = await ledger.lastEvent()
      const wanted = lastEventId(header('last-event-id')) ?? after ?? last
      // A number beyond the last event is of another ledger, before a restore: waiting for it would hide all until then.
      const from = Math.min(wanted, last)
      const filter = present({ operation, types: type })
      return {
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
        stream: async writer => {
          open += 1
          try {
            await sendEvents({ feed, messages, filter, from, signal, mayStillLook }, writer)
          } finally {
            open -= 1
          }
        },
      }
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

/** Sent at once, so the client knows it is connected: it waits a second before it connects again. */
const BEGIN: Uint8Array = Buffer.from('retry: 1000\n\n')

interface Sending {
  feed: EventFeed
  messages: EventMessages
  filter: EventFilter
  from: number
  signal: AbortSignal
  mayStillLook: () => boolean
}

/** Sends one page at a time, so a slow client costs no more memory than that. */
async function sendEvents(
  { feed, messages, filter, from, signal, mayStillLook }: Sending,
  { write }: StreamWriter,
): Promise<void> {
  await write(BEGIN)
  const follower = feed.follow(from, signal)
  for (;;) {
    const events = await follower.next()
    if (signal.aborted || !mayStillLook()) return
    await write(messages.of(events, filter))
  }
}
