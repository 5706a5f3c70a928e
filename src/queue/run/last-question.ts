import { mustVerify } from '../../capability/retry-policy.ts'
import { verify, verifyNotBefore } from '../../capability/verify.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import { UNSTATED_WAITS } from '../../verdict/unstated-wait.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { History } from './history.ts'
import { idempotencyKey } from './one-try.ts'
import { append, type Run } from './run.ts'
import type { RunEnd } from './run-end.ts'

type Asking = Pick<Run, 'deps' | 'claimed' | 'subject' | 'judge' | 'writer' | 'signal'> &
  Partial<Pick<Run, 'counters'>>
type Cancel = Extract<Verdict, { action: 'cancel' }>

/**
 * Checks whether the operation took effect before a run ends without success: an operation that took effect must not be called
 * dead because its retries are used up, nor "not done yet" to a waiting caller.
 * @param attempt the last try with its verdict, not yet stored
 * @param isAwaited a caller waits for the run
 * @returns the end of the run; undefined to keep the verdict
 */
export async function askBeforeEnd(
  run: Asking,
  verdict: Verdict,
  attempt: NewAttempt,
  isAwaited: boolean,
  lostRunner = false,
): Promise<RunEnd | undefined> {
  const { deps, subject, claimed, signal, writer } = run
  const { capability, history, params, mask } = subject
  const isAtLimit = isLimit(verdict)
  if (!isAtLimit && (!isAwaited || verdict.action === 'cancel')) return undefined
  const open = [...history.open, attempt]
  if (!mustVerify(capability, open)) return undefined
  const { time, env } = deps
  const startedAt = time.now()
  const notBefore = verifyNotBefore(capability, open)
  if (startedAt < notBefore)
    return isAtLimit
      ? askLater(run, attempt, notBefore, 'too early to check whether it took effect', lostRunner)
      : undefined
  const { run: number } = claimed.fence
  const context = {
    signal,
    run: number,
    idempotencyKey: idempotencyKey(claimed),
    env,
    attempts: [...history.attempts, history.past(attempt, number)],
  }
  const verified = await verify(capability, params, context, { time, mask })
  if (verified.state === 'unsure' && isAtLimit) {
    const at = time.now() + askAgainAfterMs(run.counters?.snoozes ?? 0)
    return askLater(run, attempt, at, `unsure whether it took effect: ${verified.reason}`, lostRunner)
  }
  if (verified.state !== 'done') return undefined
  if (!(await append(run, attempt, lostRunner))) return { end: 'lost' }
  const note = { verification: 'done' }
  return writer.succeed(verified.value, mask, { startedAt, endedAt: time.now(), note })
}

/** True for a verdict that ends an operation at its limit of retries or time. */
function isLimit(verdict: Verdict): boolean {
  return verdict.action === 'cancel' && (verdict.as === 'exhausted' || verdict.as === 'expired')
}

/** The end is stored with the try, where the run that checks again finds it. */
async function askLater(
  run: Asking,
  attempt: NewAttempt,
  until: number,
  reason: string,
  lostRunner: boolean,
): Promise<RunEnd | undefined> {
  const { judge, writer } = run
  const snooze: Verdict = { action: 'snooze', until, mode: 'again', reason, rule: 'queue:last_question' }
  const { verdict, boundBy } = judge.bounded(snooze, undefined, judge.circumstances())
  if (boundBy) return undefined
  if (!(await append(run, attempt, lostRunner))) return { end: 'lost' }
  return writer.settle(verdict as EndingVerdict)
}

/** Grows from a minute to a quarter of an hour, as for a limit that does not say when it lifts. */
export function askAgainAfterMs(snoozes: number): number {
  const { firstMs, longestMs } = UNSTATED_WAITS.rate_limit
  return Math.min(firstMs * 2 ** Math.min(snoozes, 30), longestMs)
}

/**
 * The end that an operation comes to unless its effect is found: set while the last question is open.
 * @param snoozes since the operation last started afresh; a person who revives it does not get its old end
 */
export function pendingEnd({ attempts }: Pick<History, 'attempts'>, snoozes: number): Cancel | undefined {
  const verdict = attempts.at(-1)?.verdict
  return snoozes > 0 && verdict && isLimit(verdict) ? (verdict as Cancel) : undefined
}
