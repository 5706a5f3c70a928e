import { runAsCodeOf } from '../code-owner.ts'
import { chooseProvider, unadmitted } from './admission.ts'
import { failed } from './after-failure.ts'
import { returned } from './after-return.ts'
import { begin } from './begin.ts'
import { interrupted, interruptedTry } from './interruption.ts'
import { type OneTry, tryOnce } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import { type RunOptions, RunState } from './run-state.ts'
import { mayNotStartOver } from './starting-over.ts'

/**
 * One run of an operation: the one way that all of them go. Every step has a file of its own; a step that ends the run
 * gives how it ended, any other gives nothing.
 */
export function runOperation(options: RunOptions): Promise<RunEnd> {
  const { operation, fence } = options.claimed
  const whose = { operation: operation.id, capability: operation.capability, run: fence.run }
  return runAsCodeOf(whose, () => runOnce(options))
}

async function runOnce(options: RunOptions): Promise<RunEnd> {
  const run = new RunState(options)
  try {
    return (await begin(run)) ?? (await tryUntilItEnds(run))
  } catch (error) {
    if (run.budgetMs !== undefined || !run.hasTried) throw error
    // Given back, it would be run again as if nothing had been done.
    run.deps.report({ about: 'queue', error, operation: run.claimed.operation.id })
    return { end: 'unwritten' }
  } finally {
    run.close()
  }
}

async function tryUntilItEnds(run: RunState): Promise<RunEnd> {
  for (;;) {
    if (run.signal.aborted) return interrupted(run)
    const prevented = await mayNotStartOver(run)
    if (prevented) return prevented
    const choice = await chooseProvider(run)
    const end =
      choice && !choice.permit
        ? await unadmitted(run, choice)
        : await afterTry(run, await tryOnce(run, choice))
    if (end) return end
  }
}

function afterTry(run: RunState, tried: OneTry): Promise<RunEnd | undefined> {
  if (tried.outcome.ended === 'aborted') return interruptedTry(run, tried)
  if (tried.failure) return failed(run, tried, tried.failure, tried.cause, tried.permit)
  return returned(run, tried)
}
