import { invoke } from '../call/attempt/invocation.ts'
import { quote } from '../failure/quote.ts'
import { redact } from '../failure/redact.ts'
import { realTime, type Time } from '../time/time.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { Capability } from './capability.ts'
import type { PastAttempt, VerifyContext } from './context.ts'
import type { Mask } from './secret/mask.ts'
import type { Verification, Verified } from './verification.ts'

/** How long a check may take, in milliseconds: 30 s. */
export const VERIFY_TIMEOUT_DEFAULT_MS = 30_000

/** What a verification needs. */
export interface VerifyOptions {
  /** The clock. Default: this machine's. */
  time?: Time
  /** Hides the secrets of the run in what the verification says. Default: none. */
  mask?: Mask
}

/** Checks whether a capability's effect is there. Never rejects; after an abort the answer is unsure. */
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
  // The check's signal is also aborted at its deadline, so its programs and requests end with it.
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
      return unsure('the verification was aborted')
    default:
      return unsure(`the verification gave no answer within ${durationInWords(timeoutMs)}`)
  }
}

/**
 * Epoch milliseconds before which it is too early to check: the end of the last try that may have had an effect, plus the
 * verification's delay. 0 if there is nothing to wait for.
 */
export function verifyNotBefore(
  { verification }: Pick<Capability, 'verification'>,
  attempts: readonly Pick<PastAttempt, 'endedAt' | 'failure'>[],
): number {
  const delayMs = verification?.delayMs ?? 0
  const ended = attempts.filter(({ failure }) => failure?.effect !== 'none').map(({ endedAt }) => endedAt)
  return delayMs === 0 || ended.length === 0 ? 0 : Math.max(...ended) + delayMs
}

/** An unsure answer, and why. */
export function unsure(reason: string): Verified {
  return { state: 'unsure', reason: redact(reason) }
}

/** Any unclear answer is unsure: as absent, the work would be done twice; as done, it would be lost. */
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
    `the verification answered ${quote(answer)}; expected {state: "done" | "absent" | "unsure"}, true or false`,
  )
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : quote(error)
}
