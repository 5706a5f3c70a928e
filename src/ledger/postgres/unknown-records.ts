import type { Time } from '../../time/time.ts'
import type { Page, PageRequest } from '../filter.ts'
import {
  countOf,
  sampleOf,
  toUnknown,
  UNKNOWN_IDS,
  type UnknownRow,
  withModel,
  withSample,
} from '../row/unknown-row.ts'
import type { Unknown, UnknownFilter, UnknownSighting } from '../unknown.ts'
import type { OperationRows } from './operation-rows.ts'
import { Conditions, pageOfRows } from './row-page.ts'
import type { Sql } from './sql.ts'

/** A label in force that applies to an unknown failure. */
const LABELLED = `EXISTS (SELECT 1 FROM labels l WHERE l.fingerprint = unknowns.fingerprint
  AND l.withdrawn_at IS NULL AND (l.provider = '' OR l.provider = unknowns.provider))`

/** Stores unknown failures: one row for each fingerprint and provider. */
export class UnknownRecords {
  readonly #sql: Sql
  readonly #time: Time
  readonly #rows: OperationRows

  constructor(sql: Sql, time: Time, rows: OperationRows) {
    this.#sql = sql
    this.#time = time
    this.#rows = rows
  }

  async record({ failure: given, at, outcome, operation, ...about }: UnknownSighting) {
    const failure = sampleOf(given)
    const { fingerprint } = failure
    const provider = about.provider ?? failure.provider ?? ''
    const model = about.model ?? failure.model
    await this.#lock(fingerprint)
    const row = await this.#sql.row<UnknownRow>(
      'SELECT * FROM unknowns WHERE fingerprint = $1 AND provider = $2',
      [fingerprint, provider],
    )
    const models = withModel(row, model)
    const samples = withSample(row, { at, failure, ...(operation === undefined ? {} : { operation }) })
    const escalatedAt = row ? row.escalated_at : await this.#escalatedAt(fingerprint)
    await this.#sql.run(
      `INSERT INTO unknowns (fingerprint, provider, ${outcome}, first_seen_at, last_seen_at, models, samples, escalated_at)
       VALUES ($1, $2, 1, $3, $3, $4, $5, $6) ON CONFLICT (fingerprint, provider) DO UPDATE SET
       ${outcome} = unknowns.${outcome} + 1, first_seen_at = least(unknowns.first_seen_at, $3),
       last_seen_at = greatest(unknowns.last_seen_at, $3), models = $4, samples = $5`,
      [fingerprint, provider, at, JSON.stringify(models), JSON.stringify(samples), escalatedAt],
    )
    const count = row ? countOf(row) + 1 : 1
    await this.#rows.tell(this.#time.now(), 'unknown_seen', {
      fingerprint,
      count,
      outcome,
      ...(provider === '' ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(operation === undefined ? {} : { operation }),
    })
    return { created: row === undefined, count, ...(escalatedAt === null ? {} : { escalatedAt }) }
  }

  async markEscalated(fingerprint: string): Promise<boolean> {
    await this.#lock(fingerprint)
    if ((await this.#escalatedAt(fingerprint)) !== null) return false
    const changed = await this.#sql.run('UPDATE unknowns SET escalated_at = $1 WHERE fingerprint = $2', [
      this.#time.now(),
      fingerprint,
    ])
    return changed > 0
  }

  page(filter: UnknownFilter, page: PageRequest): Promise<Page<Unknown>> {
    const { fingerprint, provider, seenFrom, escalated, labelled } = filter
    const conditions = new Conditions().isOneOf('fingerprint', fingerprint).isOneOf('provider', provider)
    if (seenFrom !== undefined) conditions.add('last_seen_at >= ?', seenFrom)
    if (escalated !== undefined) conditions.add(`escalated_at IS ${escalated ? 'NOT ' : ''}NULL`)
    if (labelled !== undefined) conditions.add(`${labelled ? '' : 'NOT '}${LABELLED}`)
    return pageOfRows(this.#sql, { table: 'unknowns', ids: UNKNOWN_IDS, read: toUnknown }, conditions, page)
  }

  async of(fingerprint: string): Promise<Unknown[]> {
    const rows = await this.#sql.rows<UnknownRow>(
      'SELECT * FROM unknowns WHERE fingerprint = $1 ORDER BY id',
      [fingerprint],
    )
    return rows.map(toUnknown)
  }

  /** Serializes writes for a fingerprint: all its providers, including a new one, share whether it was escalated. */
  async #lock(fingerprint: string): Promise<void> {
    await this.#sql.run('SELECT pg_advisory_xact_lock(hashtextextended(current_schema || $1, 1))', [
      fingerprint,
    ])
  }

  /** When it was escalated, once for all providers; null if never. */
  async #escalatedAt(fingerprint: string): Promise<number | null> {
    const row = await this.#sql.row<{ at: number | null }>(
      'SELECT min(escalated_at) AS at FROM unknowns WHERE fingerprint = $1',
      [fingerprint],
    )
    return row?.at ?? null
  }
}
