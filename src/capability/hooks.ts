import { invoke } from '../call/attempt/invocation.ts'
import type { Failure } from '../failure/failure.ts'
import { quote } from '../failure/quote.ts'
import { redact } from '../failure/redact.ts'
import { realTime, type Time } from '../time/time.ts'
import { problemOfVerdict } from '../verdict/check.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { isSucceeded, problemOfSucceeded, type Succeeded } from '../verdict/succeeded.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Capability } from './capability.ts'
import type { Failed, HookContext } from './hook.ts'
import { partlyVerified } from './partly-verified.ts'
import type { Mask } from './secret/mask.ts'

/** Reports a hook that gave no usable answer. The earlier decision stands. */
export interface HookProblem {
  /** Name of the capability. */
  capability: string
  hook: 'handleResult' | 'handleFailure' | 'timeoutMs'
  /** What is wrong with its answer; no secrets. */
  problem: string
}

/** What asking a hook needs. */
export interface HookTools {
  /** Called for every unusable answer. */
  report(problem: HookProblem): void
  /** Hides the secrets of the run in reports. Default: none. */
  mask?: Mask
  /** The clock. Default: this machine's. */
  time?: Time
  /** A hook that takes longer, in milliseconds, counts as having no answer. Default 30 s. */
  limitMs?: number
}

/** How long a hook may take, in milliseconds: 30 s. */
export const HOOK_LIMIT_DEFAULT_MS = 30_000

/** What the capability says about a result; undefined accepts it as a success. */
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

/** True for an answer that turns a result into a failure. */
export function isFailed(answer: unknown): answer is Failed {
  return typeof answer === 'object' && answer !== null && 'failed' in answer && !('action' in answer)
}

interface Asked extends Omit<HookProblem, 'problem'> {
  run(): unknown
}

/** Asks a hook. Reports what it throws, and invalid answers. */
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
