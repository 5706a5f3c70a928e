import { LedgerError } from '../error.ts'
import type { Disposition, NewNotice, Notice, NoticePriority } from '../notice.ts'
import { NumberedIds } from './numbered-id.ts'
import { toId } from './rows.ts'

/** A row of the notices table. */
export interface NoticeRow {
  id: number
  key: string
  event: number | null
  type: string
  priority: NoticePriority
  disposition: Disposition
  session: string | null
  workspace: string | null
  operation: number | null
  provider: string | null
  fingerprint: string | null
  title: string
  body: string
  preview: string | null
  created_at: number
  expires_at: number
  read_at: number | null
  read_by: string | null
  shown_at: number | null
  cause: string | null
  resolved_at: number | null
  resolution: string | null
}

/** Ids of notices. */
export const NOTICE_IDS = new NumberedIds('notice')

/** How long an expired notice is kept for a delivery that has not ended, in milliseconds: 30 days. */
export const PENDING_AT_MOST_MS = 30 * 86_400_000

/** Refuses a notice that could not be found or read. */
export function checkNotice({ key, title, expiresAt }: NewNotice): void {
  if (key === '') throw new LedgerError('invalid', 'a notice needs a key')
  if (title === '') throw new LedgerError('invalid', `notice ${key} needs a title`)
  if (!Number.isSafeInteger(expiresAt))
    throw new LedgerError(
      'invalid',
      `notice ${key}: expiresAt must be an integer (epoch milliseconds), not ${expiresAt}`,
    )
}

/** Converts a row to a notice. */
export function toNotice(row: NoticeRow): Notice {
  return {
    id: NOTICE_IDS.toId(row.id),
    key: row.key,
    ...(row.event === null ? {} : { event: row.event }),
    type: row.type,
    priority: row.priority,
    disposition: row.disposition,
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.workspace === null ? {} : { workspace: row.workspace }),
    ...(row.operation === null ? {} : { operation: toId(row.operation) }),
    ...(row.provider === null ? {} : { provider: row.provider }),
    ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
    ...(row.cause === null ? {} : { cause: row.cause }),
    title: row.title,
    body: row.body,
    ...(row.preview === null ? {} : { preview: row.preview }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.read_at === null ? {} : { readAt: row.read_at }),
    ...(row.read_by === null ? {} : { readBy: row.read_by }),
    ...(row.shown_at === null ? {} : { shownAt: row.shown_at }),
    ...(row.resolved_at === null ? {} : { resolvedAt: row.resolved_at }),
    ...(row.resolution === null ? {} : { resolution: row.resolution }),
  }
}
