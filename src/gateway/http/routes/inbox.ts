import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { catchUpNotices } from '../../../notice/catch-up.ts'
import { inboxOf, markLikeRead, markRead, missingNotice, showBeforeEnd } from '../../../notice/inbox.ts'
import { noticeToJson } from '../../../notice/notice-json.ts'
import { notice } from '../../../notice/notice-shape.ts'
import { reasonToGoOn } from '../../../notice/session-end.ts'
import { SNOOZE_LEAST_MS, SNOOZE_MOST_MS, snoozeLike, snoozeNotices } from '../../../notice/snooze.ts'
import { moment } from '../../../shape/value.ts'
import { inTurns } from '../../../time/in-turns.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { session } from '../notice-schemas.ts'
import { notFound, Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'

const ofSession = session
  .optional()
  .describe('Of this session. Default the workspace: notices without a session, or left unread for an hour.')

const noticeId = z.string().regex(/^notice_\d{1,15}$/, 'must be the id of a notice, such as notice_12')

const get = route({
  method: 'get',
  path: '/v1/inbox',
  id: 'getInbox',
  summary: 'Notices for a session or the workspace, newest first',
  demand: 'look',
  query: z.strictObject({
    session: ofSession,
    unread: z.boolean().optional().describe('Only unread notices. Default all.'),
  }),
  answers: { 200: { description: 'The newest 1,000', schema: z.object({ notices: z.array(notice) }) } },
  async run({ query: { session: wanted, unread = false } }, { ledger, time }) {
    await catchUpNotices(ledger, time)
    const inbox = await inboxOf(ledger, {
      now: time.now(),
      ...present({ session: wanted }),
    })
    const shown = unread ? inbox.filter(({ readAt }) => readAt === undefined) : inbox
    return { json: { notices: await inTurns(shown, noticeToJson) } }
  },
})

const read = route({
  method: 'post',
  path: '/v1/inbox/read',
  id: 'markRead',
  summary: 'Mark notices as read: by id, or all of an inbox',
  demand: 'change',
  body: z.strictObject({
    ids: z.array(noticeId).min(1).max(1000).optional(),
    like: noticeId.optional().describe('All of the overview’s cause that this notice belongs to.'),
    all: z.literal(true).optional().describe('All of the inbox.'),
    session: ofSession,
  }),
  answers: {
    200: { description: 'How many were unread', schema: z.object({ read: z.number() }) },
  },
  async run({ body: { ids, like, all, session: of } }, { ledger, time }) {
    if ([ids, like, all].filter(given => given !== undefined).length !== 1)
      throw new Problem(400, 'invalid', 'send one of ids, like and all: true')
    await catchUpNotices(ledger, time)
    const named = like === undefined ? ids : [like]
    const missing = named && (await missingNotice(ledger, named))
    if (missing !== undefined) throw notFound(`there is no ${missing}; GET /v1/inbox lists them`)
    if (like !== undefined) return { json: { read: await markLikeRead(ledger, like, of ?? 'a person') } }
    const inbox = ids ? [] : await inboxOf(ledger, { now: time.now(), ...present({ session: of }) })
    return { json: { read: await markRead(ledger, ids ?? inbox.map(({ id }) => id), of ?? 'a person') } }
  },
})

const snooze = route({
  method: 'post',
  path: '/v1/inbox/snooze',
  id: 'snoozeNotices',
  summary: 'Hide unread notices that need action for a while; then they are told again',
  demand: 'change',
  body: z.strictObject({
    ids: z.array(noticeId).min(1).max(1000).optional(),
    like: noticeId.optional().describe('All of the overview’s cause that this notice belongs to.'),
    for_ms: z.int().min(SNOOZE_LEAST_MS).max(SNOOZE_MOST_MS).describe('How long: a minute to 30 days.'),
  }),
  answers: {
    200: {
      description: 'How many are hidden now, and until when',
      schema: z.object({ snoozed: z.number(), until: moment }),
    },
  },
  async run({ body: { ids, like, for_ms: forMs } }, { ledger, time }) {
    if ((ids === undefined) === (like === undefined))
      throw new Problem(400, 'invalid', 'send one of ids and like')
    const named = ids ?? [like as string]
    const missing = await missingNotice(ledger, named)
    if (missing !== undefined) throw notFound(`there is no ${missing}; GET /v1/inbox lists them`)
    const until = time.now() + forMs
    const snoozed =
      like === undefined ? await snoozeNotices(ledger, named, until) : await snoozeLike(ledger, like, until)
    return { json: { snoozed, until: timeToJson(until) } }
  },
})

const hold = route({
  method: 'post',
  path: '/v1/inbox/show_before_end',
  id: 'showBeforeEnd',
  summary: 'Whether a session may end, for stop hooks: its unread actionable notices, marked as shown',
  demand: 'change',
  body: z.strictObject({ session }),
  answers: {
    200: {
      description: 'Empty if it may end',
      schema: z.object({
        decision: z.literal('block').optional(),
        reason: z.string().optional().describe('For the agent in the session.'),
      }),
    },
  },
  async run({ body: { session: of } }, { ledger, time }) {
    await catchUpNotices(ledger, time)
    const held = await showBeforeEnd(ledger, of, time.now())
    return { json: held.length === 0 ? {} : { decision: 'block' as const, reason: reasonToGoOn(held, of) } }
  },
})

/** The notices of a session, or of the workspace. */
export const inboxRoutes: readonly Route[] = [get, read, snooze, hold]
