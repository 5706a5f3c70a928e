import { needsPerson } from '../queue/needs-person.ts'
import type { Queue } from '../queue/queue.ts'
import type { RunView } from './view.ts'

/** Why going on with a run may do something twice, or must wait until a step has been stopped. */
export interface Repeat {
  why: string
  isStopping: boolean
}

/**
 * Retrying a run has its dead and parked operations run again, and whatever goes on with an ended run those that its end had
 * cancelled. Undefined if that can do nothing twice.
 */
export async function repeatOf(
  queue: Pick<Queue, 'ledger' | 'registry'>,
  { run, steps }: RunView,
  { action, step: named }: { action: string; step?: string | undefined },
): Promise<Repeat | undefined> {
  for (const [place, { step, operation, record }] of steps.entries()) {
    const isRetried = action === 'retry' && (named === undefined || step.id === named)
    const isReopened = run.state !== 'running' && record?.cause === place && step.id !== named
    if (!operation || !(isRetried || isReopened)) continue
    if (operation.state === 'running' && operation.cancelRequested)
      return {
        why: `step ${step.id} (${operation.id}) is still being stopped: look at the run again when it has ended`,
        isStopping: true,
      }
    if (operation.state !== 'dead' && operation.state !== 'parked') continue
    const why = await needsPerson(queue, operation)
    if (why !== undefined)
      return { why: `step ${step.id} (${operation.id}) is not run again: ${why}`, isStopping: false }
  }
  return undefined
}
