import type { Effect } from '../failure.ts'

/** A word from a field that names things: an error's name, a code, a type, a reason. */
export interface Word {
  /** Lower case; `field=value` where the field matters. */
  value: string
  /** As it was written, for reading "ModelQuotaExceeded" as words; absent for `field=value`. */
  raw?: string
  where: string
  depth: number
  late: boolean
}

/** A number from a field that can only be an HTTP status, or one that a text calls a status. */
export interface Status {
  value: number
  where: string
  depth: number
  late: boolean
}

/** Text written for a reader. */
export interface Text {
  value: string
  where: string
  /** 0 for the outermost thing, one more for each wrapper taken off. */
  depth: number
  /** True for retry banners and noise: they count only when nothing else speaks. */
  late: boolean
  /** True where its lines were sorted before: it is either all final or all late. */
  isSorted?: boolean
}

/** A field that states when to come back, as it was given. */
export interface WaitField {
  key: string
  value: string | number
  where: string
  /** As for texts: a wait seen only in a retry banner or a wrapper's log. */
  late: boolean
}

/** How far a request got, proven by the fields of the error that stands there. */
export interface Phase {
  effect: Effect
  where: string
}

export interface ProcessFacts {
  exitCode: number | null
  signal: string | null
  /** Name of the agent CLI, if it is one that we know. */
  agent: string | undefined
  /** True where the output shows that the agent worked: a turn, a tool use, text of an answer. */
  worked: boolean
  /** What it printed on stdout, without the blanks around it. */
  printed: string
}

/** Everything that rules can test, read once from an input of any shape. */
export interface Observation {
  words: Word[]
  statuses: Status[]
  texts: Text[]
  /** All that was said, each stream, text, name and code by itself, for operators' signatures: they know what matters. */
  heard: { value: string; where: string }[]
  headers: Map<string, string>
  waits: WaitField[]
  process?: ProcessFacts
  /** What the fields of each error prove about how far it got, if they do. */
  phases: Phase[]
  sessionId?: string
  costUsd?: number
  turns?: number
}

export function emptyObservation(): Observation {
  return { words: [], statuses: [], texts: [], heard: [], headers: new Map(), waits: [], phases: [] }
}
