import { wholeResult } from '../capability/result.ts'
import { isEnded, type Operation } from '../ledger/operation.ts'
import { isProviderNeed, refuserOf } from '../provider/next-step.ts'
import { missing, OperationFailed } from './error.ts'
import type { EndedOperation } from './operation-waiters.ts'
import type { QueueDeps } from './queue-deps.ts'
import {
  type HearBy,
  handedOver,
  type PendingOperation,
  type Prospect,
  type RunResult,
} from './run-result.ts'

/** How an operation ended, or that it has not. */
export type OperationResult<R = unknown> =
  | { state: 'succeeded'; value: R; operation: EndedOperation }
  | { state: 'dead'; error: OperationFailed; operation: EndedOperation }
  | { state: 'pending'; operation: PendingOperation }

/** The operation with this id. Throws if there is none. */
export async function existing({ ledger }: Pick<QueueDeps, 'ledger'>, id: string): Promise<Operation> {
  const operation = await ledger.get(id)
  if (!operation) throw missing(id)
  return operation
}

/** How an operation ended, with the whole result even if it is in a file. */
export async function resultOf(deps: QueueDeps, id: string): Promise<OperationResult> {
  const operation = await existing(deps, id)
  if (!isEnded(operation)) return { state: 'pending', operation }
  if (operation.state === 'dead') return { state: 'dead', error: new OperationFailed(operation), operation }
  const { resultFolder: folder } = deps.settings
  const value = await wholeResult(operation, { operation: id, folder, store: deps.ledger.results })
  return { state: 'succeeded', value, operation }
}

/**
 * The answer to the caller of `run`, by the operation's current state. Throws {@link OperationFailed} if it is dead.
 * @param cause what the work threw or returned, if known
 */
export async function runResultOf<R>(
  deps: QueueDeps,
  id: string,
  { cause, hearBy }: { cause?: unknown; hearBy?: HearBy | undefined } = {},
): Promise<RunResult<R>> {
  const result = await resultOf(deps, id)
  if (result.state === 'succeeded') return { value: result.value as R, operationId: id }
  if (result.state === 'dead') throw new OperationFailed(result.error.operation, cause)
  return handedOver<R>(result.operation, await prospectOf(deps, result.operation), hearBy)
}

async function prospectOf(
  { ledger, engine, registry }: QueueDeps,
  operation: PendingOperation,
): Promise<Prospect> {
  const { id, capability } = operation
  const need = operation.state === 'parked' ? operation.parkedFor : undefined
  const [runners, pauses] = await Promise.all([ledger.runners(), engine.pauses()])
  return {
    hasRunner: runners.some(({ capabilities }) => capabilities.includes(capability)),
    hasAnyRunner: runners.length > 0,
    verifies: registry.get(capability)?.retry === 'verify_first',
    ...(pauses.queue
      ? { paused: '' }
      : pauses.capabilities.includes(capability)
        ? { paused: capability }
        : {}),
    ...(isProviderNeed(need) ? { refusedBy: refuserOf(need, await ledger.attempts(id)) } : {}),
  }
}
