import { loadTracing, tracing } from '../../call/tracing.ts'
import { runAsCodeOf } from '../code-owner.ts'
import { failed } from './act.ts'
import { chooseProvider, unadmitted } from './admission.ts'
import { returned } from './after-return.ts'
import { InProcess } from './in-process.ts'
import { interrupted, interruptedTry } from './interruption.ts'
import { durableJudge } from './judge.ts'
import { afterLostRun, lostAttempt, lostRunFailure } from './lost-run.ts'
import { type OneTry, tryOnce } from './one-try.ts'
import { openScope, type Run, type RunOptions, type RunScope } from './run.ts'
import type { Next, NextTry, RunEnd } from './run-end.ts'
import { RunSpans } from './run-spans.ts'
import { startOver } from './starting-over.ts'
import { subjectOf } from './subject.ts'

/**
 * One run of an operation. Every run takes this path. Each step returns where the run continues, or how it ended.
 */
export function runOperation(options: RunOptions): Promise<RunEnd> {
  const { operation, fence } = options.claimed
  const whose = { operation: operation.id, capability: operation.capability, run: fence.run }
  return runAsCodeOf(whose, () => {
    const loading = loadTracing()
    return loading ? loading.then(() => runInTrace(options)) : runInTrace(options)
  })
}

/** Without tracing, this is the run itself. */
function runInTrace(options: RunOptions): Promise<RunEnd> {
  const found = tracing()
  return found ? runWithin(new RunSpans(found, options.claimed), options) : runOnce(options, undefined)
}

async function runWithin(spans: RunSpans, options: RunOptions): Promise<RunEnd> {
  try {
    const end = await spans.within(() => runOnce(options, spans))
    spans.ended(end)
    // The caller of a run with a budget gets no result if it continues later.
    if (options.budgetMs !== undefined) spans.handedOver(end)
    return end
  } catch (error) {
    spans.broke(error)
    throw error
  }
}

/** Tries until the run ends. */
async function runOnce(options: RunOptions, spans: RunSpans | undefined): Promise<RunEnd> {
  const begun = await begin(openScope(options, spans), options)
  if ('end' in begun) return begun
  const { run } = begun
  let hasTried = false
  try {
    for (let { next } = begun; ; ) {
      if (run.signal.aborted) return await interrupted(run, next)
      const started = await startOver(run, next)
      if ('end' in started) return started
      const choice = await chooseProvider(run, started)
      let step: Next
      if (choice && !choice.permit) step = await unadmitted(run, started, choice)
      else {
        hasTried = true
        const tried = await tryOnce(run, started, choice)
        step = await afterTry(run, started, tried)
        if (!('end' in step)) run.spans?.goesOn(step, tried.provider)
      }
      if ('end' in step) return step
      next = step
    }
  } catch (error) {
    if (run.inProcess || !hasTried) throw error
    // If it were released, it would run again as if nothing had been done.
    run.deps.report({ about: 'queue', error, operation: run.claimed.operation.id })
    return { end: 'unwritten' }
  }
}

function afterTry(run: Run, next: NextTry, tried: OneTry): Promise<Next> {
  if (tried.outcome.ended === 'aborted') return interruptedTry(run, next, tried)
  if (tried.failure) return failed(run, next, tried, tried.failure, tried.cause, tried.permit)
  return returned(run, next, tried)
}

/** How long an operation that must not be retried waits before this is checked again, in milliseconds. */
const LOOK_AGAIN_MS = 3_600_000
const WHILE_DISABLED = 'it is not retried while [queue] enabled = false'

/** A run that is ready for its first try. */
export interface Begun {
  run: Run
  next: NextTry
}

/** Everything before the first try: prepares the work, handles what a lost run left behind, finds the session to resume. */
export async function begin(
  scope: RunScope,
  { budgetMs, waitHereMs }: Pick<RunOptions, 'budgetMs' | 'waitHereMs'>,
): Promise<RunEnd | Begun> {
  const { deps, claimed, writer, signal } = scope
  const { operation, lost } = claimed
  const found = await subjectOf(deps, operation)
  if (!found.subject) {
    if (lost) await writer.append(lostAttempt(lost, lostRunFailure(lost, undefined), deps.time.now()), true)
    return writer.settle(found.verdict)
  }
  const { subject } = found
  const { capability, history, pool } = subject
  // Kept from a time when the queue was enabled. What a person revived or unparked runs.
  const last = operation.firstFailedAt === undefined ? undefined : history.attempts.at(-1)?.verdict?.action
  if (!deps.settings.enabled && !lost && last !== undefined && last !== 'park')
    return writer.release({ afterMs: LOOK_AGAIN_MS }, WHILE_DISABLED)
  const counters = { ...operation }
  const judge = durableJudge(deps, capability, counters)
  if (lost) {
    const run: Run = { ...scope, subject, counters, judge, inProcess: undefined }
    const next = await afterLostRun(run, lost)
    return 'end' in next ? next : { run, next }
  }
  const inProcess =
    budgetMs === undefined
      ? undefined
      : new InProcess(deps, capability, counters, { budgetMs, waitHereMs }, signal)
  const { resume, provider: again } = history.resumption(operation, pool) ?? {}
  return {
    run: { ...scope, subject, counters, judge, inProcess },
    next: { tried: new Set(), resume, again },
  }
}
