import type { Failure } from '../../failure/failure.ts'
import {
  LONGEST_SAMPLE,
  MOST_MODELS,
  MOST_SAMPLES,
  type Unknown,
  type UnknownOutcome,
  type UnknownSample,
} from '../unknown.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { NumberedIds } from './numbered-id.ts'
import { readJson } from './rows.ts'

/** A row of the unknowns table. */
export interface UnknownRow {
  id: number
  fingerprint: string
  /** Empty if unknown. */
  provider: string
  parked: number
  failover: number
  ended: number
  first_seen_at: number
  last_seen_at: number
  models: string
  samples: string
  escalated_at: number | null
}

/** Cursors of pages of unknowns. */
export const UNKNOWN_IDS = new NumberedIds('unknown')

/** Removes secrets and shortens the text. */
export function sampleOf(failure: Failure): Failure {
  const { text, ...rest } = failure
  return withoutSecrets({ ...rest, ...(text === undefined ? {} : { text: text.slice(0, LONGEST_SAMPLE) }) })
}

/** The models it was seen with, this one first. */
export function withModel(row: UnknownRow | undefined, model: string | undefined): string[] {
  const models = readJson<string[]>(row?.models ?? null) ?? []
  if (model === undefined) return models
  return [model, ...models.filter(name => name !== model)].slice(0, MOST_MODELS)
}

/** Adds a sample. The first one always stays, because people were asked about it; of the others, the oldest goes first. */
export function withSample(row: UnknownRow | undefined, sample: UnknownSample): UnknownSample[] {
  const samples = readJson<UnknownSample[]>(row?.samples ?? null) ?? []
  const textOf = ({ failure }: UnknownSample) => failure.text ?? failure.message
  if (samples.some(kept => textOf(kept) === textOf(sample))) return samples
  const all = [...samples, sample]
  return [...all.slice(0, 1), ...all.slice(1).slice(1 - MOST_SAMPLES)]
}

/** How often it was seen. */
export function countOf(row: UnknownRow): number {
  return row.parked + row.failover + row.ended
}

/** Converts a row to an unknown. */
export function toUnknown(row: UnknownRow): Unknown {
  const outcomes: Record<UnknownOutcome, number> = {
    parked: row.parked,
    failover: row.failover,
    ended: row.ended,
  }
  return {
    fingerprint: row.fingerprint,
    ...(row.provider === '' ? {} : { provider: row.provider }),
    count: countOf(row),
    outcomes,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    models: readJson<string[]>(row.models) ?? [],
    samples: readJson<UnknownSample[]>(row.samples) ?? [],
    ...(row.escalated_at === null ? {} : { escalatedAt: row.escalated_at }),
  }
}
