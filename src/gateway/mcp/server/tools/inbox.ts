import { z } from 'zod'
import type { Notice } from '../../../../ledger/notice.ts'
import { catchUpNotices } from '../../../../notice/catch-up.ts'
import { inboxOf, markRead, missingNotice } from '../../../../notice/inbox.ts'
import { noticeToJson } from '../../../../notice/notice-json.ts'
import { notFound } from '../../../http/problem.ts'
import { object } from '../../../http/value-schemas.ts'
import { tool } from '../tool.ts'

const DEFAULT_LIMIT = 20

const listShape = {
  unread: z.boolean().optional().describe('Only what is unread. Default all.'),
  limit: z.int().min(1).max(50).optional().describe(`How many. Default ${DEFAULT_LIMIT}.`),
  offset: z.int().min(0).optional().describe('Leave out the newest ones. Default 0.'),
}

const notices = z
  .array(z.string().regex(/^notice_\d{1,15}$/, 'must be the id of a notice, such as notice_12'))
  .min(1)
  .max(200)

const output = z.looseObject({
  session: z.string().nullable().describe('Whose inbox it is; null for that of the workspace.'),
  notices: z.array(object).describe('Newest first.'),
  unread: z.number(),
  marked_read: z.number().optional(),
  next_offset: z.number().optional(),
  next_step: z.string(),
})

const DESCRIPTION =
  'What became of what you started: results of queued operations, failures, and what needs you. Look here before you finish, and when an answer says inbox_unread.'

/** The notices of a session. */
export function inbox(readOnly: boolean) {
  const input = z.strictObject(
    readOnly
      ? listShape
      : {
          ...listShape,
          mark_read: notices
            .optional()
            .describe('Ids of notices that you have dealt with: marked as read, then the inbox is listed.'),
        },
  )
  return tool({
    name: 'inbox',
    title: 'Inbox',
    description: readOnly
      ? DESCRIPTION
      : `${DESCRIPTION} Mark notices as read when you have dealt with them: what needs action stays until then.`,
    annotations: readOnly
      ? { readOnlyHint: true, openWorldHint: false }
      : { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input,
    output,
    async run(given, { session }, { facilities: { ledger, time }, answered }) {
      const { unread = false, limit = DEFAULT_LIMIT, offset = 0 } = given
      const ids = (given as { mark_read?: readonly string[] }).mark_read
      await catchUpNotices(ledger, time)
      const missing = ids && (await missingNotice(ledger, ids))
      if (missing !== undefined) throw notFound(`there is no ${missing}; inbox lists them`)
      const marked = ids && (await markRead(ledger, ids, session ?? 'an agent'))
      const all = await inboxOf(ledger, { now: time.now(), ...(session === undefined ? {} : { session }) })
      // The end of an operation that a call has already answered is not news.
      const news = all.filter(
        notice =>
          notice.readAt === undefined || notice.type !== 'succeeded' || !answered.has(notice.operation),
      )
      const open = news.filter(isUnread)
      const wanted = unread ? open : news
      const shown = wanted.slice(offset, offset + limit)
      return {
        json: {
          session: session ?? null,
          ...(marked === undefined ? {} : { marked_read: marked }),
          notices: shown.map(noticeToJson),
          unread: open.length,
          ...(offset + limit < wanted.length ? { next_offset: offset + limit } : {}),
          next_step: nextStepOf(shown, readOnly),
        },
      }
    },
  })
}

function isUnread({ readAt }: Notice): boolean {
  return readAt === undefined
}

function nextStepOf(shown: readonly Notice[], readOnly: boolean): string {
  if (shown.length === 0) return 'No notices. When a queued operation ends, its notice appears here.'
  const whole = 'The whole result of an operation: the tool operations with its id.'
  const toDo = shown.some(isUnread)
  return toDo && !readOnly ? `${whole} Then mark what you have dealt with: inbox with mark_read.` : whole
}
