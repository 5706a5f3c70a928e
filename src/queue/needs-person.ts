import { mayRunAgain, mustVerify } from '../capability/retry-policy.ts'
import type { Operation } from '../ledger/operation.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'

/**
 * Why only a person, who then takes responsibility for earlier effects, may run an operation again. Undefined if any caller may:
 * nothing can have happened, running twice does no harm, or its effect is verified first.
 */
export async function needsPerson(
  { ledger, registry }: Pick<QueueDeps, 'ledger' | 'registry'>,
  { id, capability, attempts }: Pick<Operation, 'id' | 'capability' | 'attempts'>,
): Promise<string | undefined> {
  const own = registry.get(capability)
  // An unknown capability may do harm.
  const known = own ?? { retry: 'none' }
  // Not read for work that may run twice anyway: a preview asks for every matching operation.
  const tries = attempts > 0 && known.retry !== 'replay' ? await ledger.attempts(id) : []
  if (mayRunAgain(known, tries) || mustVerify(known, tries)) return undefined
  return `it may already have taken effect, and ${own ? 'nothing can check that' : 'its capability is not known here'}`
}

/** Why only a person may change the parameters: an effect of the old ones would be checked with the new ones. */
export async function needsPersonToEdit(
  { ledger, registry }: Pick<QueueDeps, 'ledger' | 'registry'>,
  { id, capability, attempts }: Pick<Operation, 'id' | 'capability' | 'attempts'>,
): Promise<string | undefined> {
  const tries = attempts > 0 ? await ledger.attempts(id) : []
  if (mayRunAgain(registry.get(capability) ?? { retry: 'none' }, tries)) return undefined
  return 'it may already have taken effect with its old parameters'
}

type Parts = Pick<QueueDeps, 'ledger' | 'registry'>
type Tried = Pick<Operation, 'id' | 'capability' | 'attempts'>

/** Throws if running an operation again may do something twice. `how` says how a person accepts that. */
export async function refuseRepeat(parts: Parts, operation: Tried, how: string): Promise<void> {
  const why = await needsPerson(parts, operation)
  if (why !== undefined) throw repeats(operation.id, why, how)
}

/** Throws if running an operation with other parameters may do something twice. */
export async function refuseRepeatEdited(parts: Parts, operation: Tried, how: string): Promise<void> {
  const why = await needsPersonToEdit(parts, operation)
  if (why !== undefined) throw repeats(operation.id, why, how)
}

function repeats(id: string, why: string, how: string): QueueError {
  return new QueueError(
    'may_repeat',
    `${id} may happen twice: ${why}. Check whether it happened; to run it again all the same: ${how}`,
  )
}
