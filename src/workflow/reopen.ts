import type { Queue } from '../queue/queue.ts'
import { deadlineOf } from './begin-steps.ts'
import { keptResult } from './kept-result.ts'
import type { Progress } from './progress.ts'

/** Continues a failed step with its existing operation. If that has succeeded, takes its result instead. */
export async function runAgain(queue: Queue, progress: Progress, place: number): Promise<void> {
  const id = progress.record(place)?.operation
  const operation = id === undefined ? undefined : await queue.ledger.get(id)
  const deadline = deadlineOf(queue, progress.graph.at(place))
  if (!operation) {
    // It was pruned, or never started.
    progress.forget(place, 'the step runs again')
    progress.release(place)
  } else if (operation.state === 'succeeded') {
    progress.settled(place)
    progress.succeed(place, await keptResult(queue, operation.id, operation))
    progress.release(place)
  } else {
    if (operation.state === 'dead') progress.revives.add(operation.id)
    const isStopping = operation.state === 'running' && operation.cancelRequested
    progress.reopen(place, deadline, isStopping && progress.isCancelledByEnd(place))
  }
}

/** When an ended run continues, continues the steps that only its end had cancelled. */
export async function reopenCancelled(queue: Queue, progress: Progress): Promise<void> {
  if (progress.run.state === 'running' || progress.state !== 'running') return
  for (const place of progress.graph.steps.keys())
    if (progress.isCancelledByEnd(place) && !progress.changes.has(place))
      await runAgain(queue, progress, place)
}
