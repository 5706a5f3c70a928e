import { mayRunAgain, mustVerify } from '../capability/retry-policy.ts'
import type { Operation } from '../ledger/operation.ts'
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
