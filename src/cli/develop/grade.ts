import type { Failure } from '../../failure/failure.ts'
import type { CorpusEntry } from './corpus.ts'

/** The classifier's answer for one entry; class `none` if it is not a failure. */
export interface Prediction {
  id: string
  class: string
  kind: string
  retryAfterMs: number | null
}

/** Shares between 0 and 1; null if no entry counts. */
export interface Grades {
  total: number
  classAccuracy: number | null
  kindAccuracy: number | null
  decisionAccuracy: number | null
  falseRetryRate: number | null
  retryAfterAccuracy: number | null
  retryAfterSpecificity: number | null
  /** Counts by labelled class, then by answered class. */
  confusion: Record<string, Record<string, number>>
}

/** A labelled failure and the classifier's answer. */
export interface Graded {
  entry: CorpusEntry
  prediction: Prediction
}

/** Kinds that count as equal, because experts do not tell them apart reliably. */
const EQUAL_KINDS: readonly (readonly string[])[] = [
  ['rate_limit', 'usage_limit', 'quota'],
  ['server_error', 'overloaded'],
  ['network', 'eof', 'stream_cut', 'dns'],
  ['auth', 'forbidden'],
  ['config', 'invalid_request', 'version_mismatch', 'invalid_version'],
  ['not_found', 'model_not_found'],
  ['max_turns', 'max_steps'],
  ['crash', 'killed', 'out_of_memory', 'unknown', 'command_failed'],
  ['timeout', 'connect_timeout', 'stall'],
]

/** The classifier's answer in the form of a corpus label. */
export function predictionOf(id: string, failure: Failure | null, now: number | undefined): Prediction {
  if (failure === null) return { id, class: 'none', kind: 'none', retryAfterMs: null }
  const stated =
    failure.resetAt !== undefined && now !== undefined ? failure.resetAt - now : failure.retryAfterMs
  return { id, class: failure.class, kind: failure.kind, retryAfterMs: stated ?? null }
}

/** The share of right answers, by each measure of docs/accuracy.md. */
export function grade(graded: readonly Graded[]): Grades {
  const confusion: Record<string, Record<string, number>> = {}
  for (const { entry, prediction } of graded) {
    confusion[entry.label.class] ??= {}
    const row = confusion[entry.label.class] as Record<string, number>
    row[prediction.class] = (row[prediction.class] ?? 0) + 1
  }
  const decided = graded.filter(({ entry }) => decisionOf(entry.label.class, entry.label.kind) !== undefined)
  const stops = decided.filter(({ entry }) => decisionOf(entry.label.class, entry.label.kind) === 'stop')
  const stated = graded.filter(({ entry }) => typeof entry.label.retryAfterMs === 'number')
  const unstated = graded.filter(({ entry }) => typeof entry.label.retryAfterMs !== 'number')
  return {
    total: graded.length,
    classAccuracy: share(graded, ({ entry, prediction }) => entry.label.class === prediction.class),
    kindAccuracy: share(graded, ({ entry, prediction }) =>
      isSameKind(entry.label.kind ?? 'none', prediction.kind),
    ),
    decisionAccuracy: share(
      decided,
      ({ entry, prediction }) => decisionOf(entry.label.class, entry.label.kind) === answerOf(prediction),
    ),
    falseRetryRate: share(stops, ({ prediction }) => answerOf(prediction) === 'retry'),
    retryAfterAccuracy: share(stated, ({ entry, prediction }) =>
      isSameDelay(entry.label.retryAfterMs as number, prediction.retryAfterMs),
    ),
    retryAfterSpecificity: share(unstated, ({ prediction }) => prediction.retryAfterMs === null),
    confusion,
  }
}

function share(all: readonly Graded[], isRight: (graded: Graded) => boolean): number | null {
  return all.length === 0 ? null : all.filter(isRight).length / all.length
}

/** Whether two kinds are equal, or count as equal. */
export function isSameKind(a: string, b: string): boolean {
  return a === b || EQUAL_KINDS.some(group => group.includes(a) && group.includes(b))
}

function isSameDelay(wanted: number, answered: number | null): boolean {
  return answered !== null && Math.abs(wanted - answered) <= 1_000
}

/** Retry or stop; undefined for classes that are not graded as decisions. */
export function decisionOf(cls: string, kind: string | null): 'retry' | 'stop' | undefined {
  if (cls === 'unknown' || cls === 'none') return undefined
  if (cls === 'throttle') return kind === 'billing' ? 'stop' : 'retry'
  return cls === 'transient' || cls === 'timeout' ? 'retry' : 'stop'
}

/** The decision that an answer leads to. Unknown counts as stop; after "not a failure" the caller would continue. */
function answerOf(prediction: Prediction): 'retry' | 'stop' | 'go on' {
  if (prediction.class === 'none') return 'go on'
  return decisionOf(prediction.class, prediction.kind) ?? 'stop'
}
