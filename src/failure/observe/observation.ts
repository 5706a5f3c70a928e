import type { Effect } from '../failure.ts'

/** A word from a field that names things: an error's name, a code, a type, a reason. */
export interface Word {
  /** Lower case; `field=value` where the field matters. */
  value: string
  /** As written, to read "ModelQuotaExceeded" as words. Absent for `field=value`. */
  raw?: string | undefined
  where: string
  depth: number
  late: boolean
  /** True if it stood inside a text: whoever wrote the text wrote it. */
  quoted?: boolean | undefined
}

/** A number from a field that can only be an HTTP status, or that a text calls a status. */
export interface Status {
  value: number
  where: string
  depth: number
  late: boolean
  /** As for words. */
  quoted?: boolean | undefined
}

/** Text written for people. */
export interface Text {
  value: string
  where: string
  /** 0 for the outermost object, plus 1 for each wrapper removed. */
  depth: number
  /** True for retry banners and noise: they count only if nothing else says anything. */
  late: boolean
  /** True if its lines were already sorted: it is either all final or all late. */
  isSorted?: boolean
}

/** A field that says when to come back, as given. */
export interface WaitField {
  key: string
  value: string | number
  where: string
  /** As for texts: true for a wait seen only in a retry banner or a wrapper's log. */
  late: boolean
  /** As for words. */
  quoted?: boolean | undefined
}

/** How far a request got, as proven by the error's fields. */
export interface Phase {
  effect: Effect
  where: string
}

export interface ProcessFacts {
  exitCode: number | null
  signal: string | null
  /** Name of the agent CLI, if it is a known one. */
  agent: string | undefined
  /** True if the output shows that the agent worked: a turn, a tool use, answer text. */
  worked: boolean
  /** What it printed on stdout, trimmed. */
  printed: string
}

/** The field under which a model's answer is read if it says that the call failed. */
export const ANSWER = 'answer'

/**
 * What an input is: it decides who speaks in it. `tool` is what a tool returned as its own failure; `value` is any other
 * returned value; `text` has no known author.
 */
export type Source = 'error' | 'http' | 'process' | 'tool' | 'value' | 'text'

/** A header that somebody wrote into a body or a text. */
export interface ToldHeader {
  value: string
  where: string
  quoted: boolean
}

/** Everything rules can test, read once from an input of any shape. */
export interface Observation {
  source: Source
  words: Word[]
  statuses: Status[]
  texts: Text[]
  /** Everything that was said, each stream, text, name and code separately: the input for operators' signatures. */
  heard: { value: string; where: string }[]
  /** The headers of the answer, as the client kept them. */
  headers: Map<string, string>
  /** What looks like headers inside a body or a text, by name. */
  toldHeaders: Map<string, ToldHeader>
  waits: WaitField[]
  process?: ProcessFacts
  /** True if the provider is configured as a gateway, which passes on whom it asked. */
  isGateway?: boolean
  /** What each error's fields prove about how far the request got. */
  phases: Phase[]
  /** True if a part of the answer had come before it failed. */
  hasBegun?: boolean
  sessionId?: string
  costUsd?: number
  turns?: number
}
