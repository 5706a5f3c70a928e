import { present } from '../failure/present.ts'
import type { PageRequest } from '../ledger/filter.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import { pagesOf } from '../ledger/pages.ts'
import { nextTurn } from '../time/in-turns.ts'
import { preventsEnd } from './session-end.ts'

/** A session that leaves an actionable notice unread for this long counts as gone, in milliseconds: 1 hour. */
export const SESSION_GONE_AFTER_MS = 3_600_000

const PAGE = 200
/** Most notices that an inbox shows. */
const MOST = 1_000

/** Which notices to list. */
export interface InboxQuery {
  /** Only those of this session. Default those of the workspace: without a session, or of a session that is gone. */
  session?: string
  /** Epoch milliseconds. */
  now: number
}

/** Notices for a session or the workspace, newest first, at most 1,000. */
export async function inboxOf(
  ledger: Pick<Ledger, 'notices'>,
  { session, now }: InboxQuery,
): Promise<readonly Notice[]> {
  const found: Notice[] = []
  const read = async (page: PageRequest) => {
    // A thousand notices must not delay the renewal of a lease; one page delays nothing.
    if (page.cursor !== undefined) await nextTurn()
    return ledger.notices(present({ session }), page)
  }
  for await (const notices of pagesOf(read, PAGE)) {
    found.push(...notices.filter(notice => session !== undefined || isForWorkspace(notice, now)))
    if (found.length >= MOST) break
  }
  return found.slice(0, MOST)
}

/** Whether a notice has no session, or is one that its session left unread although it needs action. */
export function isForWorkspace(notice: Notice, now: number): boolean {
  if (notice.session === undefined) return true
  const { disposition, readAt, resolvedAt } = notice
  const isLeftBehind = disposition === 'actionable' && readAt === undefined && resolvedAt === undefined
  return isLeftBehind && now - notice.createdAt > SESSION_GONE_AFTER_MS
}

/** The notices that keep a session from ending. Records that they were shown. */
export async function showBeforeEnd(
  ledger: Pick<Ledger, 'notices' | 'transaction'>,
  session: string,
  now: number,
): Promise<readonly Notice[]> {
  const held = (await inboxOf(ledger, { session, now })).filter(preventsEnd)
  if (held.length > 0) {
    const ids = held.map(({ id }) => id)
    await ledger.transaction(writes => writes.showNotices(ids))
  }
  return held
}

/** Whether a text looks like a notice id. */
export function isNoticeId(text: string): boolean {
  return /^notice_\d{1,15}$/.test(text)
}

/** The first of these ids without a notice; undefined if all exist. Takes at most 1,000 ids. */
export async function missingNotice(
  ledger: Pick<Ledger, 'notices'>,
  ids: readonly string[],
): Promise<string | undefined> {
  const { items } = await ledger.notices({ ids, expired: true }, { limit: MOST })
  const known = new Set(items.map(({ id }) => id))
  return ids.find(id => !known.has(id))
}

/** The first of these notices that is for somebody else than this session: another one, or people. */
export async function foreignNotice(
  ledger: Pick<Ledger, 'notices'>,
  ids: readonly string[],
  session: string | undefined,
): Promise<string | undefined> {
  const { items } = await ledger.notices({ ids, expired: true }, { limit: MOST })
  return items.find(notice => notice.session === undefined || notice.session !== session)?.id
}

/** Marks notices as read. Returns how many were unread. */
export function markRead(
  ledger: Pick<Ledger, 'transaction'>,
  ids: readonly string[],
  by: string,
): Promise<number> {
  return ledger.transaction(writes => writes.readNotices(ids, by))
}

/** Notices that are marked as read in one transaction. */
const READ_STEP = 1_000

/** Marks all unread notices of the same type and cause as this one as read. Returns how many. */
export async function markLikeRead(
  ledger: Pick<Ledger, 'transaction'>,
  id: string,
  by: string,
): Promise<number> {
  for (let read = 0; ; ) {
    const step = await ledger.transaction(writes => writes.readNoticesLike(id, by, READ_STEP))
    read += step
    if (step < READ_STEP) return read
  }
}
