import type { VerifyContext } from './context.ts'

/** Whether the effect of earlier tries is there. `unsure` is checked again later; it never counts as `absent`. */
export type Verified =
  | { state: 'done'; value?: unknown }
  | { state: 'absent' }
  | { state: 'unsure'; reason: string }

/** What a check may answer: a state, its name alone, or true for done and false for absent. */
export type CheckAnswer = Verified | 'done' | 'absent' | 'unsure' | boolean

/** Finds out whether the effect is there. Must have no effects of its own. An exception counts as unsure. */
export type Check<P> = {
  // A method type, so that a capability with specific parameters fits where any does.
  ask(params: P, context: VerifyContext): CheckAnswer | Promise<CheckAnswer>
}['ask']

/** How to check whether a capability's effect is there. */
export interface Verification<P = unknown> {
  /** The check. */
  check: Check<P>
  /** Time after a try before the first check, for effects that show late, in milliseconds. Default 0. */
  delayMs?: number
  /** A check that takes longer, in milliseconds, counts as unsure. Default 30 s. */
  timeoutMs?: number
}
