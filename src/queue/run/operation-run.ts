import { loadTracing, tracing } from '../../call/tracing.ts'
import { quietly } from '../../time/clean-up.ts'
import { runAsCodeOf } from '../code-owner.ts'
import { failed } from './act.ts'
import { chooseProvider, unadmitted } from './admission.ts'
import { returned } from './after-return.ts'
import { begin } from './begin.ts'
import { interrupted, interruptedTry } from './interruption.ts'
import { isEnd, type Next, type NextTry } from './next.ts'
import { type OneTry, tryOnce } from './one-try.ts'
import { openScope, type Run, type RunOptions } from './run.ts'
import type { RunEnd } from './run-end.ts'
import { RunSpans } from './run-spans.ts'
import { startOver } from './starting-over.ts'

/**
 * One run of an operation. Every run takes this path. Each step has its own file, and returns where the run continues, or how it
 * ended.
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

async function runOnce(options: RunOptions, spans: RunSpans | undefined): Promise<RunEnd> {
  const scope = openScope(options, spans)
  try {
    const begun = await begin(scope, options)
    if ('end' in begun) return begun
    return await tryUntilItEnds(begun.run, begun.next)
  } finally {
    void quietly(() => scope.close())
  }
}

async function tryUntilItEnds(run: Run, first: NextTry): Promise<RunEnd> {
  let hasTried = false
  try {
    for (let next = first; ; ) {
      if (run.signal.aborted) return await interrupted(run, next)
      const started = await startOver(run, next)
      if (isEnd(started)) return started
      const choice = await chooseProvider(run, started)
      let step: Next
      if (choice && !choice.permit) step = await unadmitted(run, started, choice)
      else {
        hasTried = true
        const tried = await tryOnce(run, started, choice)
        step = await afterTry(run, started, tried)
        if (!isEnd(step)) run.spans?.goesOn(step, tried.provider)
      }
      if (isEnd(step)) return step
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
