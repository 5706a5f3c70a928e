import type { Time } from '../../time/time.ts'
import type { Page, PageRequest } from '../filter.ts'
import {
  countOf,
  UNKNOWN_IDS as IDS,
  sampleOf,
  toUnknown,
  type UnknownRow,
  withModel,
  withSample,
} from '../row/unknown-row.ts'
import type { Unknown, UnknownFilter, UnknownSighting } from '../unknown.ts'
import type { EventLog } from './event-log.ts'
import { isOneOf, pageOfRows, type RowCondition } from './row-page.ts'
import type { Statements } from './statements.ts'

/** Whether a label in force applies to an unknown. */
const LABELLED = `EXISTS (SELECT 1 FROM labels l WHERE l.fingerprint = unknowns.fingerprint
  AND l.withdrawn_at IS NULL AND (l.provider = '' OR l.provider = unknowns.provider))`

/** Stores unknown failures: one row per fingerprint and provider. */
export class UnknownRecords {
  readonly #statements: Statements
  readonly #time: Time
  readonly #events: EventLog

  constructor(statements: Statements, time: Time, events: EventLog) {
    this.#statements = statements
    this.#time = time
    this.#events = events
  }

  record({ failure: given, at, outcome, operation, ...about }: UnknownSighting) {
    const failure = sampleOf(given)
    const { fingerprint } = failure
    const provider = about.provider ?? failure.provider ?? ''
    const model = about.model ?? failure.model
    const row = this.#row(fingerprint, provider)
    const models = withModel(row, model)
    const samples = withSample(row, { at, failure, ...(operation === undefined ? {} : { operation }) })
    const escalatedAt = row ? row.escalated_at : this.#escalatedAt(fingerprint)
    this.#statements
      .of(`INSERT INTO unknowns (fingerprint, provider, ${outcome}, first_seen_at, last_seen_at, models, samples, escalated_at)
        VALUES (?1, ?2, 1, ?3, ?3, ?4, ?5, ?6) ON CONFLICT (fingerprint, provider) DO UPDATE SET ${outcome} = ${outcome} + 1,
        first_seen_at = min(first_seen_at, ?3), last_seen_at = max(last_seen_at, ?3), models = ?4, samples = ?5`)
      .run(fingerprint, provider, at, JSON.stringify(models), JSON.stringify(samples), escalatedAt)
    const count = row ? countOf(row) + 1 : 1
    this.#events.general(this.#time.now(), 'unknown_seen', {
      fingerprint,
      count,
      outcome,
      ...(provider === '' ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(operation === undefined ? {} : { operation }),
    })
    return { created: row === undefined, count, ...(escalatedAt === null ? {} : { escalatedAt }) }
  }

  markEscalated(fingerprint: string): boolean {
    if (this.#escalatedAt(fingerprint) !== null) return false
    const { changes } = this.#statements
      .of('UPDATE unknowns SET escalated_at = ? WHERE fingerprint = ?')
      .run(this.#time.now(), fingerprint)
    return changes !== 0
  }

  page(filter: UnknownFilter, page: PageRequest): Page<Unknown> {
    const { fingerprint, provider, seenFrom, escalated, labelled } = filter
    const conditions: RowCondition[] = [
      ...isOneOf('fingerprint', fingerprint),
      ...isOneOf('provider', provider),
      ...(seenFrom === undefined ? [] : [{ sql: 'last_seen_at >= ?', values: [seenFrom] }]),
      ...(escalated === undefined
        ? []
        : [{ sql: `escalated_at IS ${escalated ? 'NOT ' : ''}NULL`, values: [] }]),
      ...(labelled === undefined ? [] : [{ sql: `${labelled ? '' : 'NOT '}${LABELLED}`, values: [] }]),
    ]
    return pageOfRows(this.#statements, { table: 'unknowns', ids: IDS, read: toUnknown }, conditions, page)
  }

  of(fingerprint: string): Unknown[] {
    const rows = this.#statements
      .of('SELECT * FROM unknowns WHERE fingerprint = ? ORDER BY id')
      .all(fingerprint)
    return (rows as unknown as UnknownRow[]).map(toUnknown)
  }

  #row(fingerprint: string, provider: string): UnknownRow | undefined {
    return this.#statements
      .of('SELECT * FROM unknowns WHERE fingerprint = ? AND provider = ?')
      .get(fingerprint, provider) as unknown as UnknownRow | undefined
  }

  /** Escalation happens once for all providers. */
  #escalatedAt(fingerprint: string): number | null {
    const row = this.#statements.of('SELECT min(escalated_at) AS at FROM unknowns WHERE fingerprint = ?')
    return (row.get(fingerprint) as { at: number | null }).at
  }
}
