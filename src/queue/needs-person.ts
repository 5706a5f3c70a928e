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
  const tries = attempts > 0 ? await ledger.attempts(id) : []
  // An unknown capability may do harm.
  const known = registry.get(capability) ?? { retry: 'none' }
  if (mayRunAgain(known, tries) || mustVerify(known, tries)) return undefined
  return 'it may already have taken effect, and nothing can check that'
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
