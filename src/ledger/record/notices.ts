import { present } from '../../failure/present.ts'
import type { Page, PageRequest } from '../filter.ts'
import {
  HISTORY_LIFETIME_MS,
  LONGEST_PREVIEW,
  MOST_NOTICE_GROUPS,
  type NewNotice,
  type Notice,
  type NoticeFilter,
  type NoticeGroups,
  type ResolvedBy,
  type WhileOpen,
} from '../notice.ts'
import { checkNotice, NOTICE_IDS, type NoticeRow, PENDING_AT_MOST_MS, toNotice } from '../row/notice-row.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, rows, written } from './asking.ts'
import { isOneOf, pageOfRows } from './conditions.ts'

interface IdRow {
  id: number
}

/** Expired notices; one that is still being delivered stays for a while. */
const OLD = `SELECT id FROM notices WHERE expires_at <= $1 AND (expires_at <= $2 OR NOT EXISTS
  (SELECT 1 FROM deliveries d WHERE d.notice = notices.id AND d.state = 'pending')) ORDER BY expires_at LIMIT $3`

/** Stores a notice for a session or a person until it expires. */
export function* addNotice(
  notice: NewNotice,
  whileOpen: WhileOpen | undefined,
  now: number,
): Asking<{ id: string; created: boolean }> {
  const { key } = notice
  const { title, body, preview } = withoutSecrets({
    title: notice.title,
    body: notice.body,
    preview: notice.preview,
  })
  checkNotice(notice)
  // Looks first, because a conflicting insert would waste a number.
  const known = (yield* idOf(key)) ?? (whileOpen === undefined ? undefined : yield* openLike(notice))
  if (known !== undefined) {
    if (whileOpen === 'update') yield* reword(known, title, body, now)
    return { id: NOTICE_IDS.toId(known), created: false }
  }
  const added = yield* row<IdRow>(
    `INSERT INTO notices (key, event, type, priority, disposition, session, workspace, operation, provider,
      fingerprint, cause, title, body, preview, created_at, expires_at, read_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     ON CONFLICT (key) DO NOTHING RETURNING id`,
    key,
    notice.event ?? null,
    notice.type,
    notice.priority,
    notice.disposition,
    notice.session ?? null,
    notice.workspace ?? null,
    notice.operation === undefined ? null : (numberOf(notice.operation) ?? null),
    notice.provider ?? null,
    notice.fingerprint ?? null,
    notice.cause ?? null,
    title,
    body,
    preview?.slice(0, LONGEST_PREVIEW) ?? null,
    now,
    notice.expiresAt,
    notice.readAt ?? null,
  )
  const id = added?.id ?? (yield* idOf(key)) ?? 0
  return { id: NOTICE_IDS.toId(id), created: added !== undefined }
}

/** Records that the cause of notices is gone. Returns how many were open. */
export function* resolveNotices(which: ResolvedBy, resolution: string, now: number): Asking<number> {
  const { types, ...about } = which
  const [column, value] = Object.entries(about)[0] as [string, string]
  const isIt =
    column === 'causeWithin'
      ? `(cause = $3 OR substr(cause, 1, length($3::text) + 1) = $3::text || ':')`
      : `${column} = $3`
  const resolved = yield* rows<IdRow>(
    `UPDATE notices SET resolved_at = $1, resolution = $2, expires_at = CASE
      WHEN disposition = 'information' AND expires_at > $1::bigint + ${HISTORY_LIFETIME_MS}
      THEN $1::bigint + ${HISTORY_LIFETIME_MS} ELSE expires_at END
     WHERE resolved_at IS NULL AND ${isIt} AND type = ANY($4::text[]) RETURNING id`,
    now,
    withoutSecrets(resolution),
    column === 'operation' ? (numberOf(value) ?? 0) : value,
    types,
  )
  yield* outdate(
    resolved.map(({ id }) => id),
    now,
  )
  return resolved.length
}

/** Marks notices as read. Returns how many were not. */
export function readNotices(ids: readonly string[], by: string, now: number): Asking<number> {
  return written(
    `UPDATE notices SET read_at = $1, read_by = $2 WHERE id = ANY($3::bigint[]) AND read_at IS NULL RETURNING id`,
    now,
    by,
    numbersOf(ids),
  )
}

/** Unread notices that need action: the condition of their index, word for word. */
const TO_ACT_ON = `read_at IS NULL AND resolved_at IS NULL AND disposition = 'actionable'`

/** Notices that are in sight at `$1`. */
const NOT_SNOOZED = '(snoozed_until IS NULL OR snoozed_until <= $1)'

/** Unread notices that need action, by type and cause. */
export function* noticesToActOn(without: readonly string[], now: number): Asking<NoticeGroups> {
  const inSight = `FROM notices WHERE ${TO_ACT_ON} AND expires_at > $1 AND ${NOT_SNOOZED}`
  const all = yield* row<{ total: number }>(`SELECT count(*) AS total ${inSight}`, now)
  const groups = yield* rows<{ type: string; n: number; newest: number; groups: number }>(
    `SELECT type, count(*) AS n, max(id) AS newest, count(*) OVER () AS groups
     ${inSight} AND NOT (type = ANY($2::text[])) GROUP BY type, coalesce(cause, title)
     ORDER BY n DESC, newest DESC LIMIT ${MOST_NOTICE_GROUPS}`,
    now,
    [...without],
  )
  const newest = yield* rows<NoticeRow>(
    'SELECT * FROM notices WHERE id = ANY($1::bigint[])',
    groups.map(each => each.newest),
  )
  const byId = new Map(newest.map(each => [each.id, toNotice(each)]))
  return {
    total: Number(all?.total ?? 0),
    groups: Number(groups[0]?.groups ?? 0),
    largest: groups.map(({ type, n, newest: id }) => {
      const notice = byId.get(id) as Notice
      return { type, ...present({ cause: notice.cause }), count: n, newest: notice }
    }),
  }
}

/** Marks the notices of a group as read. Returns how many. */
export function* readNoticesLike(id: string, by: string, most: number, now: number): Asking<number> {
  const like = yield* row<NoticeRow>('SELECT * FROM notices WHERE id = $1', NOTICE_IDS.numberOf(id) ?? 0)
  if (!like) return 0
  return yield* written(
    `UPDATE notices SET read_at = $1, read_by = $2 WHERE id IN (SELECT id FROM notices WHERE ${TO_ACT_ON}
      AND type = $3 AND coalesce(cause, title) = $4 LIMIT $5) RETURNING id`,
    now,
    by,
    like.type,
    like.cause ?? like.title,
    most,
  )
}

/** Puts notices out of sight. One that is snoozed already stays so until then: a repeated press changes nothing. */
export function snoozeNotices(ids: readonly string[], until: number, now: number): Asking<number> {
  return written(
    `UPDATE notices SET snoozed_until = $2 WHERE ${TO_ACT_ON} AND ${NOT_SNOOZED} AND id = ANY($3::bigint[]) RETURNING id`,
    now,
    until,
    numbersOf(ids),
  )
}

/** Puts the notices of a group out of sight. Returns how many. */
export function* snoozeNoticesLike(id: string, until: number, most: number, now: number): Asking<number> {
  const like = yield* row<NoticeRow>('SELECT * FROM notices WHERE id = $1', NOTICE_IDS.numberOf(id) ?? 0)
  if (!like) return 0
  return yield* written(
    `UPDATE notices SET snoozed_until = $2 WHERE id IN (SELECT id FROM notices WHERE ${TO_ACT_ON}
      AND ${NOT_SNOOZED} AND type = $3 AND coalesce(cause, title) = $4 LIMIT $5) RETURNING id`,
    now,
    until,
    like.type,
    like.cause ?? like.title,
    most,
  )
}

/** Ends a snooze, unless somebody else changed it meanwhile. */
export function* endSnooze(id: string, until: number): Asking<boolean> {
  const text = 'UPDATE notices SET snoozed_until = NULL WHERE id = $1 AND snoozed_until = $2 RETURNING id'
  return (yield* written(text, NOTICE_IDS.numberOf(id) ?? 0, until)) > 0
}

/** When the first snooze ends. */
export function* nextSnoozeEnd(): Asking<number | undefined> {
  const text = 'SELECT min(snoozed_until) AS at FROM notices WHERE snoozed_until IS NOT NULL'
  return (yield* row<{ at: number | null }>(text))?.at ?? undefined
}

/** Records that notices were shown. Returns how many had never been. */
export function* showNotices(ids: readonly string[], now: number): Asking<number> {
  const numbers = numbersOf(ids)
  const before = yield* rows<{ shown_at: number | null }>(
    'SELECT shown_at FROM notices WHERE id = ANY($1::bigint[]) FOR UPDATE',
    numbers,
  )
  yield* row('UPDATE notices SET shown_at = $1 WHERE id = ANY($2::bigint[])', now, numbers)
  return before.filter(({ shown_at }) => shown_at === null).length
}

export function noticesPage(filter: NoticeFilter, page: PageRequest, now: number): Asking<Page<Notice>> {
  const { ids, operation, unread, open, expired = false } = filter
  const conditions = [
    ...isOneOf('id', ids && numbersOf(ids), 'bigint'),
    ...isOneOf('session', filter.session),
    ...isOneOf('workspace', filter.workspace),
    ...(unread === undefined
      ? []
      : [
          {
            sql: `${unread ? '' : 'NOT '}(read_at IS NULL AND resolved_at IS NULL AND coalesce(snoozed_until, 0) <= ?)`,
            value: now,
          },
        ]),
    ...(filter.snoozeOver ? [{ sql: 'snoozed_until IS NOT NULL AND snoozed_until <= ?', value: now }] : []),
    ...(open === undefined ? [] : [{ sql: `resolved_at IS ${open ? '' : 'NOT '}NULL` }]),
    ...isOneOf('disposition', filter.disposition),
    ...isOneOf('priority', filter.priority),
    ...isOneOf('type', filter.type),
    ...isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0)),
    ...isOneOf('provider', filter.provider),
    ...isOneOf('fingerprint', filter.fingerprint),
    ...isOneOf('cause', filter.cause),
    ...(expired ? [] : [{ sql: 'expires_at > ?', value: now }]),
  ]
  return pageOfRows({ table: 'notices', ids: NOTICE_IDS, read: toNotice }, conditions, page)
}

/** Whether any expired notice can be deleted. Takes no lock. */
export function* hasOldNotices(now: number): Asking<boolean> {
  return (yield* row(OLD, now, now - PENDING_AT_MOST_MS, 1)) !== undefined
}

/** Deletes at most `most` expired notices, with their deliveries. */
export function* forgetOldNotices(most: number, now: number): Asking<number> {
  const old = yield* rows<IdRow>(`${OLD} FOR UPDATE`, now, now - PENDING_AT_MOST_MS, most)
  const numbers = old.map(({ id }) => id)
  yield* row('DELETE FROM deliveries WHERE notice = ANY($1::bigint[])', numbers)
  yield* row('DELETE FROM notices WHERE id = ANY($1::bigint[])', numbers)
  return numbers.length
}

function* idOf(key: string): Asking<number | undefined> {
  return (yield* row<IdRow>('SELECT id FROM notices WHERE key = $1', key))?.id
}

/** The open notice with the type and cause of this one. */
function* openLike({ type, cause }: NewNotice): Asking<number | undefined> {
  const text = 'SELECT id FROM notices WHERE cause = $1 AND type = $2 AND resolved_at IS NULL'
  return (yield* row<IdRow>(text, cause ?? null, type))?.id
}

function* reword(id: number, title: string, body: string, now: number): Asking<void> {
  const changed = yield* written(
    `UPDATE notices SET title = $1, body = $2 WHERE id = $3 AND resolved_at IS NULL AND (title <> $1 OR body <> $2)
     RETURNING id`,
    title,
    body,
    id,
  )
  if (changed > 0) yield* outdate([id], now)
}

/** What surfaces show of these notices is no longer true. */
function* outdate(notices: readonly number[], now: number): Asking<void> {
  if (notices.length === 0) return
  yield* row(
    `UPDATE deliveries SET outdated_at = $1 WHERE notice = ANY($2::bigint[])
     AND outdated_at IS NULL AND state <> 'failed'`,
    now,
    notices,
  )
}

function numbersOf(ids: readonly string[]): number[] {
  return ids.map(id => NOTICE_IDS.numberOf(id) ?? 0)
}
