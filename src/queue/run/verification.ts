import type { Capability } from '../../capability/capability.ts'
import type { VerifyContext } from '../../capability/context.ts'
import { mayRunAgain, mustVerify } from '../../capability/retry-policy.ts'
import type { Mask } from '../../capability/secret/mask.ts'
import { verify, verifyNotBefore } from '../../capability/verify.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import { UNSTATED_WAITS } from '../../verdict/unstated-wait.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { History } from './history.ts'
import type { Subject } from './subject.ts'

/** What must happen before the work may start over. */
export type BeforeWork =
  | { may: 'run'; note?: 'absent' }
  | { may: 'not'; as: 'unverifiable'; why: string }
  /** Too early to check: epoch milliseconds. */
  | { may: 'later'; at: number }
  | { may: 'succeed'; value?: unknown }
  | { may: 'ask again'; at: number; why: string }

/** Decides whether the work may start over, by checking whether earlier tries took effect. */
export async function beforeWork(
  { time, settings }: QueueDeps,
  capability: Capability,
  history: History,
  question: { params: unknown; context: VerifyContext; mask: Mask; snoozes: number },
): Promise<BeforeWork> {
  const { open } = history
  if (mayRunAgain(capability, open)) return { may: 'run' }
  if (!mustVerify(capability, open))
    return { may: 'not', as: 'unverifiable', why: 'it may already have taken effect, and must not run twice' }
  const notBefore = verifyNotBefore(capability, open)
  if (time.now() < notBefore) return { may: 'later', at: notBefore }
  const { params, context, mask, snoozes } = question
  const verified = await verify(capability, params, context, { time, mask })
  switch (verified.state) {
    case 'done':
      return { may: 'succeed', ...('value' in verified ? { value: verified.value } : {}) }
    case 'absent':
      history.answer()
      return { may: 'run', note: 'absent' }
    case 'unsure':
      return snoozes >= settings.maxSnoozes
        ? { may: 'not', as: 'unverifiable', why: `still unsure after ${snoozes} checks: ${verified.reason}` }
        : { may: 'ask again', at: time.now() + askAgainAfterMs(snoozes), why: verified.reason }
  }
}

/** A retry that needs verification waits at least until a check makes sense. */
export function notBeforeAsking(
  verdict: EndingVerdict,
  { capability, history }: Pick<Subject, 'capability' | 'history'>,
  attempt: NewAttempt,
  now: number,
): EndingVerdict {
  if (verdict.action !== 'retry' || verdict.mode === 'resume' || capability.retry !== 'verify_first')
    return verdict
  const at = verifyNotBefore(capability, [...history.open, attempt])
  return { ...verdict, delayMs: Math.max(verdict.delayMs, at - now) }
}

/** Grows from a minute to a quarter of an hour, as for a limit that does not say when it lifts. */
export function askAgainAfterMs(snoozes: number): number {
  const { firstMs, longestMs } = UNSTATED_WAITS.rate_limit
  return Math.min(firstMs * 2 ** Math.min(snoozes, 30), longestMs)
}
