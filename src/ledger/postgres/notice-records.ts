import type { Time } from '../../time/time.ts'
import type { Page, PageRequest } from '../filter.ts'
import {
  HISTORY_LIFETIME_MS,
  LONGEST_PREVIEW,
  type NewNotice,
  type Notice,
  type NoticeFilter,
  type ResolvedBy,
  type WhileOpen,
} from '../notice.ts'
import { checkNotice, NOTICE_IDS, PENDING_AT_MOST_MS, toNotice } from '../row/notice-row.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { Conditions, pageOfRows } from './row-page.ts'
import type { Sql } from './sql.ts'

/** Expired notices; one that is still being delivered stays for a while. */
const OLD = `SELECT id FROM notices WHERE expires_at <= $1 AND (expires_at <= $2 OR NOT EXISTS
  (SELECT 1 FROM deliveries d WHERE d.notice = notices.id AND d.state = 'pending')) ORDER BY expires_at LIMIT $3`

/** Stores notices for sessions and people until they expire. */
export class NoticeRecords {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  async add(notice: NewNotice, whileOpen?: WhileOpen): Promise<{ id: string; created: boolean }> {
    const { title, body, preview } = withoutSecrets({
      title: notice.title,
      body: notice.body,
      preview: notice.preview,
    })
    checkNotice(notice)
    const { key } = notice
    // Looks first, because a conflicting insert would waste a number.
    const known = await this.#idOf(key)
    const open = known ?? (whileOpen === undefined ? undefined : await this.#openLike(notice))
    if (open !== undefined) {
      if (whileOpen === 'update') await this.#reword(open, title, body)
      return { id: open, created: false }
    }
    const row = await this.#sql.row<{ id: number }>(
      `INSERT INTO notices (key, event, type, priority, disposition, session, workspace, operation, provider,
        fingerprint, cause, title, body, preview, created_at, expires_at, read_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
       ON CONFLICT (key) DO NOTHING RETURNING id`,
      [
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
        this.#time.now(),
        notice.expiresAt,
        notice.readAt ?? null,
      ],
    )
    if (row) return { id: NOTICE_IDS.toId(row.id), created: true }
    return { id: (await this.#idOf(key)) as string, created: false }
  }

  async resolve(which: ResolvedBy, resolution: string): Promise<number> {
    const now = this.#time.now()
    const { types, ...about } = which
    const [column, value] = Object.entries(about)[0] as [string, string]
    const isIt =
      column === 'causeWithin' ? `(cause = $3 OR starts_with(cause, $3::text || ':'))` : `${column} = $3`
    const rows = await this.#sql.rows<{ id: number }>(
      `UPDATE notices SET resolved_at = $1, resolution = $2, expires_at = CASE disposition
        WHEN 'information' THEN least(expires_at, $1::bigint + ${HISTORY_LIFETIME_MS}) ELSE expires_at END
       WHERE resolved_at IS NULL AND ${isIt} AND type = ANY($4::text[]) RETURNING id`,
      [now, withoutSecrets(resolution), column === 'operation' ? (numberOf(value) ?? 0) : value, types],
    )
    await this.#outdate(rows.map(({ id }) => id))
    return rows.length
  }

  read(ids: readonly string[], by: string): Promise<number> {
    return this.#sql.run(
      'UPDATE notices SET read_at = $1, read_by = $2 WHERE id = ANY($3::bigint[]) AND read_at IS NULL',
      [this.#time.now(), by, numbersOf(ids)],
    )
  }

  async show(ids: readonly string[]): Promise<number> {
    const rows = await this.#sql.rows<{ shown_at: number | null }>(
      'SELECT shown_at FROM notices WHERE id = ANY($1::bigint[]) FOR UPDATE',
      [numbersOf(ids)],
    )
    await this.#sql.run('UPDATE notices SET shown_at = $1 WHERE id = ANY($2::bigint[])', [
      this.#time.now(),
      numbersOf(ids),
    ])
    return rows.filter(row => row.shown_at === null).length
  }

  page(filter: NoticeFilter, page: PageRequest): Promise<Page<Notice>> {
    const { ids, operation, unread, open, expired = false } = filter
    const conditions = new Conditions()
      .isOneOf('id', ids && numbersOf(ids), 'bigint')
      .isOneOf('session', filter.session)
      .isOneOf('workspace', filter.workspace)
      .isOneOf('disposition', filter.disposition)
      .isOneOf('priority', filter.priority)
      .isOneOf('type', filter.type)
      .isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0))
      .isOneOf('provider', filter.provider)
      .isOneOf('fingerprint', filter.fingerprint)
      .isOneOf('cause', filter.cause)
    if (unread !== undefined)
      conditions.add(`${unread ? '' : 'NOT '}(read_at IS NULL AND resolved_at IS NULL)`)
    if (open !== undefined) conditions.add(`resolved_at IS ${open ? '' : 'NOT '}NULL`)
    if (!expired) conditions.add('expires_at > ?', this.#time.now())
    return pageOfRows(this.#sql, { table: 'notices', ids: NOTICE_IDS, read: toNotice }, conditions, page)
  }

  /** Deletes at most `most` expired notices, with their deliveries. Call it in a transaction. */
  async forgetOld(most: number): Promise<number> {
    const now = this.#time.now()
    const rows = await this.#sql.rows<{ id: number }>(`${OLD} FOR UPDATE`, [
      now,
      now - PENDING_AT_MOST_MS,
      most,
    ])
    const numbers = rows.map(({ id }) => id)
    await this.#sql.run('DELETE FROM deliveries WHERE notice = ANY($1::bigint[])', [numbers])
    await this.#sql.run('DELETE FROM notices WHERE id = ANY($1::bigint[])', [numbers])
    return numbers.length
  }

  /** The open notice with the type and cause of this one. */
  async #openLike({ type, cause }: NewNotice): Promise<string | undefined> {
    const row = await this.#sql.row<{ id: number }>(
      'SELECT id FROM notices WHERE cause = $1 AND type = $2 AND resolved_at IS NULL',
      [cause ?? null, type],
    )
    return row && NOTICE_IDS.toId(row.id)
  }

  async #reword(id: string, title: string, body: string): Promise<void> {
    const numbers = numbersOf([id])
    const changed = await this.#sql.run(
      `UPDATE notices SET title = $1, body = $2 WHERE id = ANY($3::bigint[]) AND resolved_at IS NULL
        AND (title <> $1 OR body <> $2)`,
      [title, body, numbers],
    )
    if (changed > 0) await this.#outdate(numbers)
  }

  async #outdate(notices: readonly number[]): Promise<void> {
    if (notices.length === 0) return
    await this.#sql.run(
      `UPDATE deliveries SET outdated_at = $1 WHERE notice = ANY($2::bigint[])
        AND outdated_at IS NULL AND state <> 'failed'`,
      [this.#time.now(), notices],
    )
  }

  async #idOf(key: string): Promise<string | undefined> {
    const row = await this.#sql.row<{ id: number }>('SELECT id FROM notices WHERE key = $1', [key])
    return row && NOTICE_IDS.toId(row.id)
  }
}

function numbersOf(ids: readonly string[]): number[] {
  return ids.map(id => NOTICE_IDS.numberOf(id) ?? 0)
}
