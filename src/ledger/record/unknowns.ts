import { present } from '../../failure/present.ts'
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
import { type Asking, row, rows, written } from './asking.ts'
import { isOneOf, pageOfRows } from './conditions.ts'

/** Whether a label in force applies to an unknown. */
const LABELLED = `EXISTS (SELECT 1 FROM labels l WHERE l.fingerprint = unknowns.fingerprint
  AND l.withdrawn_at IS NULL AND (l.provider = '' OR l.provider = unknowns.provider))`

/** Stores a sighting of an unknown failure, which has one row per fingerprint and provider. */
export function* recordUnknown(
  { failure: given, at, outcome, operation, ...about }: UnknownSighting,
  now: number,
): Asking<{ created: boolean; count: number; escalatedAt?: number }> {
  const failure = sampleOf(given)
  const { fingerprint } = failure
  const provider = about.provider ?? failure.provider ?? ''
  const model = about.model ?? failure.model
  yield alone(fingerprint)
  const known = yield* row<UnknownRow>(
    'SELECT * FROM unknowns WHERE fingerprint = $1 AND provider = $2',
    fingerprint,
    provider,
  )
  const models = withModel(known, model)
  const samples = withSample(known, { at, failure, ...present({ operation }) })
  const escalatedAt = known ? known.escalated_at : yield* escalatedAtOf(fingerprint)
  yield* row(
    `INSERT INTO unknowns (fingerprint, provider, ${outcome}, first_seen_at, last_seen_at, models, samples, escalated_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7) ON CONFLICT (fingerprint, provider) DO UPDATE SET
     ${outcome} = unknowns.${outcome} + 1, first_seen_at = $3, last_seen_at = $4, models = $5, samples = $6`,
    fingerprint,
    provider,
    Math.min(known?.first_seen_at ?? at, at),
    Math.max(known?.last_seen_at ?? at, at),
    JSON.stringify(models),
    JSON.stringify(samples),
    escalatedAt,
  )
  const count = known ? countOf(known) + 1 : 1
  yield {
    tell: 'unknown_seen',
    at: now,
    data: {
      fingerprint,
      count,
      outcome,
      ...(provider === '' ? {} : { provider }),
      ...present({ model, operation }),
    },
  }
  return { created: known === undefined, count, ...(escalatedAt === null ? {} : { escalatedAt }) }
}

/** Returns false if it was escalated before. */
export function* markEscalated(fingerprint: string, now: number): Asking<boolean> {
  yield alone(fingerprint)
  if ((yield* escalatedAtOf(fingerprint)) !== null) return false
  const marked = 'UPDATE unknowns SET escalated_at = $1 WHERE fingerprint = $2 RETURNING id'
  return (yield* written(marked, now, fingerprint)) > 0
}

export function unknownsPage(filter: UnknownFilter, page: PageRequest): Asking<Page<Unknown>> {
  const { fingerprint, provider, seenFrom, escalated, labelled } = filter
  const conditions = [
    ...isOneOf('fingerprint', fingerprint),
    ...isOneOf('provider', provider),
    ...(seenFrom === undefined ? [] : [{ sql: 'last_seen_at >= ?', value: seenFrom }]),
    ...(escalated === undefined ? [] : [{ sql: `escalated_at IS ${escalated ? 'NOT ' : ''}NULL` }]),
    ...(labelled === undefined ? [] : [{ sql: `${labelled ? '' : 'NOT '}${LABELLED}` }]),
  ]
  return pageOfRows({ table: 'unknowns', ids: UNKNOWN_IDS, read: toUnknown }, conditions, page)
}

export function* unknownsOf(fingerprint: string): Asking<Unknown[]> {
  const text = 'SELECT * FROM unknowns WHERE fingerprint = $1 ORDER BY id'
  return (yield* rows<UnknownRow>(text, fingerprint)).map(toUnknown)
}

/** All providers of a fingerprint, including a new one, share whether it was escalated. */
function alone(fingerprint: string): { alone: string } {
  return { alone: `unknown:${fingerprint}` }
}

/** Escalation happens once for all providers. */
function* escalatedAtOf(fingerprint: string): Asking<number | null> {
  const found = yield* row<{ at: number | null }>(
    'SELECT min(escalated_at) AS at FROM unknowns WHERE fingerprint = $1',
    fingerprint,
  )
  return found?.at ?? null
}
