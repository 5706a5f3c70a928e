import { invoke } from '../call/attempt/invocation.ts'
import { redact } from '../failure/redact.ts'
import { realTime, type Time } from '../time/time.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { Capability } from './capability.ts'
import type { PastAttempt, VerifyContext } from './context.ts'
import type { Mask } from './secret/mask.ts'
import { quote } from './settings.ts'

/** Whether the effect of earlier tries is there. `unsure` is asked again later; it is never taken for `absent`. */
export type Verified =
  | { state: 'done'; value?: unknown }
  | { state: 'absent' }
  | { state: 'unsure'; reason: string }

/** What a check may answer: a state, its name alone, or true for done and false for absent. */
export type CheckAnswer = Verified | 'done' | 'absent' | 'unsure' | boolean

/** Finds out whether the effect is there. Must not have effects of its own. What it throws counts as unsure. */
export type Check<P> = {
  // Written as a method, so that a capability of certain parameters is also one of any.
  ask(params: P, context: VerifyContext): CheckAnswer | Promise<CheckAnswer>
}['ask']

/** How a capability is asked whether its effect is there. */
export interface Verification<P = unknown> {
  /** Asks. */
  check: Check<P>
  /** Time after a try before the first question, for effects that show late, in milliseconds. Default 0. */
  delayMs?: number
  /** A question that takes longer counts as unsure, in milliseconds. Default 30 s. */
  timeoutMs?: number
}

/** How long a question may take, in milliseconds: 30 s. */
export const VERIFY_TIMEOUT_DEFAULT_MS = 30_000

/** What asking needs. */
export interface VerifyOptions {
  /** Default the time of this machine. */
  time?: Time
  /** Hides the secrets of the run in what the verification says. Default none. */
  mask?: Mask
}

/** Asks a capability whether its effect is there. Never rejects; on abort the answer is unsure. */
export async function verify<P>(
  capability: Pick<Capability<P>, 'name' | 'verification'>,
  params: P,
  context: VerifyContext,
  { time = realTime, mask }: VerifyOptions = {},
): Promise<Verified> {
  const { name, verification } = capability
  if (!verification) return unsure(`capability ${quote(name)} cannot tell whether its effect is there`)
  const verified = await ask(verification, params, context, time)
  return mask ? mask.value(verified) : verified
}

async function ask<P>(
  { check, timeoutMs = VERIFY_TIMEOUT_DEFAULT_MS }: Verification<P>,
  params: P,
  context: VerifyContext,
  time: Time,
): Promise<Verified> {
  // The check sees an abort at its deadline too, so that its programs and requests end with the question.
  const outcome = await invoke<unknown>(signal => check(params, { ...context, signal }), {
    time,
    limitMs: timeoutMs,
    signal: context.signal,
  })
  switch (outcome.ended) {
    case 'returned':
      return answerOf(outcome.value)
    case 'threw':
      return unsure(`the verification failed: ${describe(outcome.error)}`)
    case 'aborted':
      return unsure('the verification was asked to stop')
    default:
      return unsure(`the verification gave no answer within ${durationInWords(timeoutMs)}`)
  }
}

/**
 * Epoch milliseconds before which it is too early to ask: the last try that may have had an effect and the delay
 * of the verification. 0 where there is nothing to wait for.
 */
export function verifyNotBefore(
  { verification }: Pick<Capability, 'verification'>,
  attempts: readonly Pick<PastAttempt, 'endedAt' | 'failure'>[],
): number {
  const delayMs = verification?.delayMs ?? 0
  const ended = attempts.filter(({ failure }) => failure?.effect !== 'none').map(({ endedAt }) => endedAt)
  return delayMs === 0 || ended.length === 0 ? 0 : Math.max(...ended) + delayMs
}

/** An unreliable answer, and why. */
export function unsure(reason: string): Verified {
  return { state: 'unsure', reason: redact(reason) }
}

/** Whatever is no clear answer is unsure: taken for absent it would be done twice, for done it would be lost. */
function answerOf(answer: unknown): Verified {
  if (answer === true || answer === 'done') return { state: 'done' }
  if (answer === false || answer === 'absent') return { state: 'absent' }
  if (answer === 'unsure') return unsure('the verification could not tell')
  const { state, value, reason } = (answer ?? {}) as { state?: unknown; value?: unknown; reason?: unknown }
  if (state === 'done') return value === undefined ? { state } : { state, value }
  if (state === 'absent') return { state }
  if (state === 'unsure')
    return unsure(typeof reason === 'string' && reason !== '' ? reason : 'the verification could not tell')
  return unsure(
    `the verification answered ${quote(answer)}; right would be {state: "done" | "absent" | "unsure"}, true or false`,
  )
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : quote(error)
}
