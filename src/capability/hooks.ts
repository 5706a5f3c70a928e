import { invoke } from '../call/attempt/invocation.ts'
import type { Failure } from '../failure/failure.ts'
import { redact } from '../failure/redact.ts'
import { realTime, type Time } from '../time/time.ts'
import { problemOfVerdict } from '../verdict/check.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { isSucceeded, problemOfSucceeded, type Succeeded } from '../verdict/succeeded.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Capability } from './capability.ts'
import type { PastAttempt } from './context.ts'
import { partlyVerified } from './partly-verified.ts'
import type { Mask } from './secret/mask.ts'
import { quote } from './settings.ts'

/** What a hook may know. */
export interface HookContext<P> {
  /** As the work gets them: read by the schema, secrets open. */
  params: P
  /** What the verdict was decided on. */
  circumstances: Circumstances
  /** Aborted when the run is. */
  signal: AbortSignal
  /** The operation it is about. */
  operationId: string
  /** Number of the run, from 1 upward. */
  run: number
  /** Number of the try that it is about, counted from 1 over all runs of the operation. */
  attempt: number
  /** The tries before it, oldest first. */
  attempts: readonly PastAttempt[]
  /** Who served the try; undefined without a provider. */
  provider: string | undefined
  /** The submitter's own data; undefined if none. */
  context: unknown
  /** The session that asked for the operation; undefined if none did. */
  session: string | undefined
}

/** A result that is none: what failed, as anything that `classify` takes; the policy decides about it. */
export interface Failed {
  /** Anything that `classify` takes. */
  failed: unknown
}

/**
 * Sees a result before it counts. Answers nothing to let it, `{succeeded, reason}` for another result, `{failed}` to have
 * it treated as a failure, or a verdict.
 */
export type HandleResult<P, R> = Hook<
  [result: R, context: HookContext<P>],
  Failed | Succeeded | Verdict | undefined
>

/** Sees a failure and its verdict. Answers nothing to let it stand, another verdict, or `{succeeded, reason}` with the result. */
export type HandleFailure<P> = Hook<
  [failure: Failure, verdict: Verdict, context: HookContext<P>],
  Succeeded | Verdict | undefined
>

/** Written as a method, so that a capability of certain parameters is also one of any. */
type Hook<A extends unknown[], T> = { ask(...args: A): T | Promise<T> }['ask']

/** A hook that gave no usable answer: what was decided stands, and this is reported. */
export interface HookProblem {
  /** Name of the capability. */
  capability: string
  hook: 'handleResult' | 'handleFailure' | 'timeoutMs'
  /** What is wrong with its answer, in words; no secrets. */
  problem: string
}

/** What asking a hook needs. */
export interface HookTools {
  /** Told of every answer that cannot be used. */
  report(problem: HookProblem): void
  /** Hides the secrets of the run in what is reported. Default none. */
  mask?: Mask
  /** Default the time of this machine. */
  time?: Time
  /** A hook that takes longer counts as one without an answer, in milliseconds. Default 30 s. */
  limitMs?: number
}

/** How long a hook may take, in milliseconds: 30 s. */
export const HOOK_LIMIT_DEFAULT_MS = 30_000

/** What the capability says about a result; undefined lets it count as success. */
export function askResult<P, R>(
  capability: Capability<P, R>,
  result: R,
  context: HookContext<P>,
  tools: HookTools,
): Promise<Failed | Succeeded | Verdict | undefined> {
  const { name, handleResult } = capability
  if (!handleResult) return Promise.resolve(partlyVerified(capability, result))
  const asked: Asked = { capability: name, hook: 'handleResult', run: () => handleResult(result, context) }
  return ask(
    asked,
    answer => isFailed(answer) || problemOfAnswer(answer, context.circumstances),
    context,
    tools,
  )
}

/** What the capability says about a failure; undefined lets the verdict stand. */
export function askFailure<P>(
  capability: Capability<P>,
  failure: Failure,
  verdict: Verdict,
  context: HookContext<P>,
  tools: HookTools,
): Promise<Succeeded | Verdict | undefined> {
  const { name, handleFailure } = capability
  if (!handleFailure) return Promise.resolve(undefined)
  const run = () => handleFailure(failure, verdict, context)
  const asked: Asked = { capability: name, hook: 'handleFailure', run }
  return ask(asked, answer => problemOfAnswer(answer, context.circumstances), context, tools)
}

function problemOfAnswer(answer: unknown, circumstances: Circumstances): string | undefined {
  return isSucceeded(answer) ? problemOfSucceeded(answer) : problemOfVerdict(answer, circumstances)
}

/** True for the answer that makes a failure of a result. */
export function isFailed(answer: unknown): answer is Failed {
  return typeof answer === 'object' && answer !== null && 'failed' in answer && !('action' in answer)
}

interface Asked extends Omit<HookProblem, 'problem'> {
  run(): unknown
}

/** Asks a hook: what it throws, and an answer that is none, becomes a report. */
async function ask<T>(
  { capability, hook, run }: Asked,
  problemOf: (answer: unknown) => true | string | undefined,
  { signal }: HookContext<unknown>,
  { report, mask, time = realTime, limitMs = HOOK_LIMIT_DEFAULT_MS }: HookTools,
): Promise<T | undefined> {
  const outcome = await invoke(run, { time, limitMs, signal })
  let problem: true | string | undefined
  switch (outcome.ended) {
    case 'returned':
      if (outcome.value === undefined || outcome.value === null) return undefined
      problem = problemOf(outcome.value)
      break
    case 'threw':
      problem = `it threw ${describe(outcome.error)}`
      break
    default:
      problem = outcome.ended === 'aborted' ? 'it was asked to stop' : `no answer within ${limitMs} ms`
  }
  if (typeof problem !== 'string') {
    const { value } = outcome as { value: T }
    return isSucceeded(value) ? { by: `${hook} of ${capability}`, ...value } : value
  }
  report({ capability, hook, problem: redact(mask ? mask.text(problem) : problem) })
  return undefined
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : quote(error)
}
