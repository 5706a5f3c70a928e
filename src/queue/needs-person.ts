import { mayRunAgain, mustVerify } from '../capability/retry-policy.ts'
import { citizenRetry } from '../ledger/citizen.ts'
import type { Operation } from '../ledger/operation.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import { MayRepeat } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'

type Parts = Pick<QueueDeps, 'ledger' | 'registry'>
type Tried = Pick<Operation, 'id' | 'capability' | 'attempts' | 'context'>

/**
 * Why only a person, who then takes responsibility for earlier effects, may run an operation again. Undefined if any caller may:
 * nothing can have happened, running twice does no harm, or its effect is verified first.
 */
export async function needsPerson(
  { ledger, registry }: Parts,
  operation: Tried,
): Promise<string | undefined> {
  const { id, capability, attempts } = operation
  const own = registry.get(capability)
  const known = own ?? elsewhere(operation)
  // Not read for work that may run twice anyway: a preview asks for every matching operation.
  const tries = attempts > 0 && known.retry !== 'replay' ? await ledger.attempts(id) : []
  if (mayRunAgain(known, tries) || mustVerify(known, tries)) return undefined
  return `it may already have taken effect, and ${own || citizenRetry(operation) ? 'nothing can check that' : 'its capability is not known here'}`
}

/**
 * Why only a person may do the work of an operation anew, with other parameters or as another operation: nothing checks first
 * whether this one took effect.
 */
export async function needsPersonAnew(
  { ledger, registry }: Parts,
  operation: Tried,
): Promise<string | undefined> {
  const { id, capability, attempts } = operation
  const known = registry.get(capability) ?? elsewhere(operation)
  const tries = attempts > 0 && known.retry !== 'replay' ? await ledger.attempts(id) : []
  return mayRunAgain(known, tries) ? undefined : 'it may already have taken effect as it was'
}

/** A capability that this process does not have. It may do harm, unless its worker in another engine said otherwise. */
function elsewhere(operation: Tried): { retry: RetryPolicy } {
  return { retry: citizenRetry(operation) ?? 'none' }
}

/** Throws {@link MayRepeat} if running an operation again may do something twice. */
export async function refuseRepeat(parts: Parts, operation: Tried): Promise<void> {
  const why = await needsPerson(parts, operation)
  if (why !== undefined) throw new MayRepeat(`${operation.id} may happen twice: ${why}`)
}

/** Throws {@link MayRepeat} if running an operation with other parameters may do something twice. */
export async function refuseRepeatEdited(parts: Parts, operation: Tried): Promise<void> {
  const why = await needsPersonAnew(parts, operation)
  if (why !== undefined) throw new MayRepeat(`${operation.id} may happen twice: ${why}`)
}
