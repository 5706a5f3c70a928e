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
import { isOneOf, pageOfRows, type RowCondition } from './row-page.ts'
import type { Statements } from './statements.ts'

/** Stores notices for sessions and people until they expire. */
export class NoticeRecords {
  readonly #statements: Statements
  readonly #time: Time

  constructor(statements: Statements, time: Time) {
    this.#statements = statements
    this.#time = time
  }

  add(notice: NewNotice, whileOpen?: WhileOpen): { id: string; created: boolean } {
    const { title, body, preview } = withoutSecrets({
      title: notice.title,
      body: notice.body,
      preview: notice.preview,
    })
    const { key } = notice
    checkNotice(notice)
    const old = this.#statements.of('SELECT id FROM notices WHERE key = ?').get(key)
    const known =
      (old?.id as number | undefined) ?? (whileOpen === undefined ? undefined : this.#openLike(notice))
    if (known !== undefined) {
      if (whileOpen === 'update') this.#reword(known, title, body)
      return { id: NOTICE_IDS.toId(known), created: false }
    }
    const { lastInsertRowid } = this.#statements
      .of(`INSERT INTO notices (key, event, type, priority, disposition, session, workspace, operation, provider,
        fingerprint, cause, title, body, preview, created_at, expires_at, read_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(
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
      )
    return { id: NOTICE_IDS.toId(Number(lastInsertRowid)), created: true }
  }

  resolve(which: ResolvedBy, resolution: string): number {
    const now = this.#time.now()
    const { types, ...about } = which
    const [column, value] = Object.entries(about)[0] as [string, string]
    const isIt =
      column === 'causeWithin'
        ? `(cause = ?3 OR (cause >= ?3 || ':' AND cause < ?3 || ';'))`
        : `${column} = ?3`
    const rows = this.#statements
      .of(`UPDATE notices SET resolved_at = ?1, resolution = ?2, expires_at = CASE disposition
        WHEN 'information' THEN min(expires_at, ?1 + ${HISTORY_LIFETIME_MS}) ELSE expires_at END
        WHERE resolved_at IS NULL AND ${isIt} AND type IN (SELECT value FROM json_each(?4)) RETURNING id`)
      .all(
        now,
        withoutSecrets(resolution),
        column === 'operation' ? (numberOf(value) ?? 0) : value,
        JSON.stringify(types),
      )
    this.#outdate(rows.map(({ id }) => id as number))
    return rows.length
  }

  read(ids: readonly string[], by: string): number {
    const update = this.#statements.of(
      'UPDATE notices SET read_at = ?, read_by = ? WHERE id IN (SELECT value FROM json_each(?)) AND read_at IS NULL',
    )
    return Number(update.run(this.#time.now(), by, numbersOf(ids)).changes)
  }

  show(ids: readonly string[]): number {
    const numbers = numbersOf(ids)
    const within = 'id IN (SELECT value FROM json_each(?))'
    const { n } = this.#statements
      .of(`SELECT count(*) AS n FROM notices WHERE ${within} AND shown_at IS NULL`)
      .get(numbers) as { n: number }
    this.#statements.of(`UPDATE notices SET shown_at = ? WHERE ${within}`).run(this.#time.now(), numbers)
    return n
  }

  page(filter: NoticeFilter, page: PageRequest): Page<Notice> {
    const { ids, session, workspace, unread, open, disposition, priority, type, expired = false } = filter
    const conditions: RowCondition[] = [
      ...isOneOf(
        'id',
        ids?.map(id => NOTICE_IDS.numberOf(id) ?? 0),
      ),
      ...isOneOf('session', session),
      ...isOneOf('workspace', workspace),
      ...(unread === undefined
        ? []
        : [{ sql: `(read_at IS NULL AND resolved_at IS NULL) = ${unread ? 1 : 0}`, values: [] }]),
      ...(open === undefined ? [] : [{ sql: `resolved_at IS ${open ? '' : 'NOT '}NULL`, values: [] }]),
      ...isOneOf('disposition', disposition),
      ...isOneOf('priority', priority),
      ...isOneOf('type', type),
      ...isOneOf('operation', filter.operation === undefined ? undefined : (numberOf(filter.operation) ?? 0)),
      ...isOneOf('provider', filter.provider),
      ...isOneOf('fingerprint', filter.fingerprint),
      ...isOneOf('cause', filter.cause),
      ...(expired ? [] : [{ sql: 'expires_at > ?', values: [this.#time.now()] }]),
    ]
    return pageOfRows(
      this.#statements,
      { table: 'notices', ids: NOTICE_IDS, read: toNotice },
      conditions,
      page,
    )
  }

  /** Whether any expired notice can be deleted. Takes no lock. */
  hasOld(): boolean {
    return this.#old(1).length > 0
  }

  /** Deletes expired notices with their deliveries, at most `most`. Call it in a transaction. */
  forgetOld(most: number): number {
    const numbers = JSON.stringify(this.#old(most))
    for (const [table, column] of [
      ['deliveries', 'notice'],
      ['notices', 'id'],
    ])
      this.#statements
        .of(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`)
        .run(numbers)
    return JSON.parse(numbers).length
  }

  /** The open notice with the type and cause of this one. */
  #openLike({ type, cause }: NewNotice): number | undefined {
    const row = this.#statements
      .of('SELECT id FROM notices WHERE cause = ? AND type = ? AND resolved_at IS NULL')
      .get(cause ?? null, type)
    return row?.id as number | undefined
  }

  #reword(id: number, title: string, body: string): void {
    const { changes } = this.#statements
      .of(
        'UPDATE notices SET title = ?1, body = ?2 WHERE id = ?3 AND resolved_at IS NULL AND (title <> ?1 OR body <> ?2)',
      )
      .run(title, body, id)
    if (changes !== 0) this.#outdate([id])
  }

  #outdate(notices: readonly number[]): void {
    if (notices.length === 0) return
    this.#statements
      .of(`UPDATE deliveries SET outdated_at = ? WHERE notice IN (SELECT value FROM json_each(?))
        AND outdated_at IS NULL AND state <> 'failed'`)
      .run(this.#time.now(), JSON.stringify(notices))
  }

  /** A notice with a pending delivery stays for a while. */
  #old(most: number): number[] {
    const now = this.#time.now()
    const rows = this.#statements
      .of(`SELECT id FROM notices WHERE expires_at <= ?1 AND (expires_at <= ?2 OR NOT EXISTS
        (SELECT 1 FROM deliveries d WHERE d.notice = notices.id AND d.state = 'pending')) ORDER BY expires_at LIMIT ?3`)
      .all(now, now - PENDING_AT_MOST_MS, most)
    return rows.map(({ id }) => id as number)
  }
}

function numbersOf(ids: readonly string[]): string {
  return JSON.stringify(ids.map(id => NOTICE_IDS.numberOf(id) ?? 0))
}
