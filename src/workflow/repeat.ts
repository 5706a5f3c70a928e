import type { Operation } from '../ledger/operation.ts'
import { MayRepeat } from '../queue/error.ts'
import { needsPerson, needsPersonAnew } from '../queue/needs-person.ts'
import type { Queue } from '../queue/queue.ts'
import type { Progress } from './progress.ts'

type Parts = Pick<Queue, 'ledger' | 'registry'>

/**
 * Throws {@link MayRepeat} if these changes to a run may do something twice. Reads the changes themselves, so whatever
 * continues a run is asked about, and only that.
 */
export async function refuseRepeat(queue: Parts, progress: Progress): Promise<void> {
  for (const place of progress.graph.steps.keys()) {
    const operation = progress.record(place)?.operation
    if (operation === undefined) continue
    const why = await repeatOf(queue, progress, place, operation)
    if (why === undefined) continue
    throw new MayRepeat(`step ${progress.graph.at(place).id} (${operation}) may happen twice: ${why}`)
  }
}

/** Why a step may do twice what its operation did. */
async function repeatOf(
  queue: Parts,
  { graph, changes, revives, hastens, state }: Progress,
  place: number,
  id: string,
): Promise<string | undefined> {
  const change = changes.get(place)
  const isAnew = change !== undefined && (change.state === 'none' || 'starts' in change)
  const isStopped = state === 'running' && change?.state === 'open' && 'cause' in change
  if (!isAnew && !isStopped && !revives.has(id) && !hastens.has(id)) return undefined
  const operation = await queue.ledger.get(id)
  const { retry } = queue.registry.get(operation?.capability ?? graph.at(place).run ?? '') ?? {}
  if (retry === 'replay') return undefined
  if (!operation) return 'its operation is deleted, so nothing says whether it took effect'
  if (isAnew) return isRunning(operation) ?? needsPersonAnew(queue, operation)
  if (isStopped) return retry === 'verify_first' ? undefined : isRunning(operation)
  // One that only waits for its time runs by its own rules, no matter when.
  return operation.state === 'scheduled' ? undefined : needsPerson(queue, operation)
}

function isRunning({ state }: Operation): string | undefined {
  return state === 'running'
    ? 'it is still running or being stopped: look again when it has ended'
    : undefined
}
