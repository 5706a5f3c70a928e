import { LedgerError } from '../error.ts'
import type { Disposition, NewNotice, Notice, NoticePriority } from '../notice.ts'
import { filled } from './filled.ts'
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
  snoozed_until: number | null
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
  return filled({
    id: NOTICE_IDS.toId(row.id),
    key: row.key,
    event: row.event,
    type: row.type,
    priority: row.priority,
    disposition: row.disposition,
    session: row.session,
    workspace: row.workspace,
    operation: row.operation === null ? null : toId(row.operation),
    provider: row.provider,
    fingerprint: row.fingerprint,
    cause: row.cause,
    title: row.title,
    body: row.body,
    preview: row.preview,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    readAt: row.read_at,
    readBy: row.read_by,
    shownAt: row.shown_at,
    resolvedAt: row.resolved_at,
    resolution: row.resolution,
    snoozedUntil: row.snoozed_until,
  })
}
