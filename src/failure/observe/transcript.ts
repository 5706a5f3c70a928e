import type { TextProfile } from '../cli/profile.ts'
import { PROFILES } from '../cli/profiles.ts'
import { endFrom } from '../text/end-from.ts'

/**
 * Reads transcripts that agents print for people: the task, the answer, tools and their output. All of it may quote
 * anything, so only its end can tell why a run failed.
 */

const LONGEST_REPORT = 60

/** The last error report at the end of a text; undefined if the agent prints none. */
export function errorReport(text: string, profile: TextProfile | undefined): string | undefined {
  const opening = profile?.errorReport
  return opening && endFrom(text, opening, LONGEST_REPORT)
}

const LONGEST_ERROR = 40

/** The final error at the end of a transcript; undefined if the agent marks none. */
export function finalError(text: string, profile: TextProfile | undefined): string | undefined {
  const opening = profile?.finalError
  return opening && endFrom(text, opening, LONGEST_ERROR)
}

/** How a transcript begins, for any CLI. */
const OPENING = new RegExp(PROFILES.flatMap(({ text }) => text?.opening?.source ?? []).join('|'), 'm')
const CLOSING_LINES = 6

/** The part of a text that can tell why a program ended, if the program marks no final error. */
export function closingLines(text: string, isKilled: boolean): string {
  if (!OPENING.test(text)) return text
  return isKilled ? '' : text.trimEnd().split('\n').slice(-CLOSING_LINES).join('\n')
}

/** True if a transcript shows that the agent had begun to work. */
export function showsWork(text: string, profile: TextProfile | undefined): boolean {
  return profile?.work?.test(text) ?? false
}
