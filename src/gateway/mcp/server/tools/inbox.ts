import { z } from 'zod'
import { present } from '../../../../failure/present.ts'
import type { Notice } from '../../../../ledger/notice.ts'
import type { Operation } from '../../../../ledger/operation.ts'
import { catchUpNotices } from '../../../../notice/catch-up.ts'
import { foreignNotice, inboxOf, markRead, missingNotice } from '../../../../notice/inbox.ts'
import { noticeToJson } from '../../../../notice/notice-json.ts'
import { object } from '../../../../shape/value.ts'
import { waitAtMost } from '../../../../time/wait-at-most.ts'
import type { Facilities } from '../../../http/facilities.ts'
import { inForce } from '../../../http/facilities.ts'
import { notFound, Problem } from '../../../http/problem.ts'
import { type AskingAgain, WAIT_MS, waitMsOf } from '../../asking-again.ts'
import { tool } from '../tool.ts'

const DEFAULT_LIMIT = 20
/** Operations whose end an inbox waits for. */
const MOST_WAITED_FOR = 50

const listShape = {
  unread: z.boolean().optional().describe('Only what is unread. Default all.'),
  limit: z.int().min(1).max(50).optional().describe(`How many. Default ${DEFAULT_LIMIT}.`),
  offset: z.int().min(0).optional().describe('Leave out the newest ones. Default 0.'),
  wait_ms: z
    .number()
    .optional()
    .describe(
      `If nothing is new and something you started goes on: wait this long for its end. Default and longest ${WAIT_MS}.`,
    ),
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
    async run(given, { session, signal, rights }, host) {
      const { answered, shown: seen, askingAgain, facilities } = host
      const { ledger, time } = facilities
      const { unread = false, limit = DEFAULT_LIMIT, offset = 0 } = given
      const ids = (given as { mark_read?: readonly string[] }).mark_read
      await catchUpNotices(ledger, time)
      const missing = ids && (await missingNotice(ledger, ids))
      if (missing !== undefined) throw notFound(`there is no ${missing}; inbox lists them`)
      const foreign = ids && !rights.asPerson ? await foreignNotice(ledger, ids, session) : undefined
      if (foreign !== undefined)
        throw new Problem(
          403,
          'needs_person',
          `${foreign} is not of your session: whoever it is for marks it as read`,
        )
      const marked = ids && (await markRead(ledger, ids, session ?? 'an agent'))
      const look = async () => {
        const found = await inboxOf(ledger, {
          now: time.now(),
          ...present({ session }),
        })
        return { found, isNews: found.some(({ id }) => !seen.has(`${session} ${id}`)) }
      }
      let { found: all, isNews } = await look()
      const going = isNews || session === undefined ? [] : await pendingOf(facilities, session)
      const waitMs = ids === undefined && offset === 0 ? waitMsOf((given as { wait_ms?: number }).wait_ms) : 0
      if (going.length > 0 && waitMs > 0) {
        await waitAtMost(waitMs, ends => firstEnd(facilities, going, ends), time, signal)
        await catchUpNotices(ledger, time)
        ;({ found: all, isNews } = await look())
      }
      for (const { id } of all) seen.add(`${session} ${id}`)
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
          ...present({ marked_read: marked }),
          notices: shown.map(noticeToJson),
          unread: open.length,
          ...(offset + limit < wanted.length ? { next_offset: offset + limit } : {}),
          next_step: nextStepOf(
            shown,
            readOnly,
            isNews ? undefined : lookAgain(going, session, time.now(), askingAgain),
          ),
        },
      }
    },
  })
}

function isUnread({ readAt }: Notice): boolean {
  return readAt === undefined
}

/** Operations of a session that have not ended, and end by themselves. */
async function pendingOf({ ledger }: Facilities, session: string): Promise<readonly Operation[]> {
  const { items } = await ledger.list(
    { session, state: ['scheduled', 'running'] },
    { limit: MOST_WAITED_FOR },
  )
  return items
}

async function firstEnd(
  facilities: Facilities,
  going: readonly Operation[],
  ends: AbortSignal,
): Promise<void> {
  const done = new AbortController()
  const signal = AbortSignal.any([ends, done.signal])
  try {
    await Promise.race(going.map(({ id }) => inForce(facilities).queue.wait(id, { signal })))
  } finally {
    done.abort()
  }
}

function lookAgain(
  going: readonly Operation[],
  session: string | undefined,
  now: number,
  askingAgain: AskingAgain,
): string | undefined {
  if (going.length === 0) return undefined
  const due = going.flatMap(each => (each.state === 'scheduled' ? [each.dueAt] : []))
  const { sentence } = askingAgain.next(
    `inbox of ${session}`,
    due.length === going.length ? Math.min(...due) : undefined,
    now,
    waitMs => `inbox with ${JSON.stringify({ wait_ms: waitMs })}`,
  )
  return `Nothing new: ${going.length} of your operations still wait or run. ${sentence}`
}

function nextStepOf(shown: readonly Notice[], readOnly: boolean, again: string | undefined): string {
  if (again !== undefined) return again
  if (shown.length === 0) return 'No notices. When a queued operation ends, its notice appears here.'
  const whole = 'The whole result of an operation: the tool operations with its id.'
  const toDo = shown.some(isUnread)
  return toDo && !readOnly ? `${whole} Then mark what you have dealt with: inbox with mark_read.` : whole
}
