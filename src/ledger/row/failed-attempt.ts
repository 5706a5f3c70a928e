import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { RejudgeOrigin } from '../rejudgement.ts'
import type { EndingVerdict } from '../settlement.ts'
import { readJson, storedJson } from './rows.ts'

/** How many characters of a failure's text are searchable; the attempt has the full text. */
const SEARCHABLE = 2_000

/** The parts of a failed attempt's row that a new classification needs. */
export interface FailedRow {
  id: number
  failure: string
  verdict: string | null
  note: string | null
  ended_at: number
}

/** The note of an attempt, with the previous classification of its failure. */
export function noteOf({ failure, verdict, note }: FailedRow, by: RejudgeOrigin): Record<string, unknown> {
  const { class: cls, kind, effect } = readJson<Failure>(failure) ?? {}
  const { action } = readJson<EndingVerdict>(verdict) ?? {}
  const before = note === null ? {} : storedJson(note)
  return {
    ...(before !== null && typeof before === 'object' && !Array.isArray(before) ? before : { note: before }),
    reclassified: { by, was: { class: cls, kind, effect, verdict: action } },
  }
}

/** What an event says about a failure. */
export function aboutFailure(failure: Failure | undefined): Record<string, unknown> {
  if (!failure) return {}
  const { class: cls, kind, fingerprint, provider } = failure
  return { class: cls, kind, fingerprint, ...present({ provider }) }
}

/** The text that a search for a failure looks in. */
export function searchable({ class: cls, kind, provider, model, code, message, text }: Failure): string {
  const words = [cls, kind, provider, model, code, message, text?.slice(0, SEARCHABLE)]
  return words.filter(word => word !== undefined).join(' ')
}
