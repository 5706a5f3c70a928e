import { mayRunAgain, mustVerify } from '../capability/retry-policy.ts'
import type { Operation } from '../ledger/operation.ts'
import { MayRepeat } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'

type Parts = Pick<QueueDeps, 'ledger' | 'registry'>
type Tried = Pick<Operation, 'id' | 'capability' | 'attempts'>

/**
 * Why only a person, who then takes responsibility for earlier effects, may run an operation again. Undefined if any caller may:
 * nothing can have happened, running twice does no harm, or its effect is verified first.
 */
export async function needsPerson(
  { ledger, registry }: Parts,
  { id, capability, attempts }: Tried,
): Promise<string | undefined> {
  const own = registry.get(capability)
  // An unknown capability may do harm.
  const known = own ?? { retry: 'none' }
  // Not read for work that may run twice anyway: a preview asks for every matching operation.
  const tries = attempts > 0 && known.retry !== 'replay' ? await ledger.attempts(id) : []
  if (mayRunAgain(known, tries) || mustVerify(known, tries)) return undefined
  return `it may already have taken effect, and ${own ? 'nothing can check that' : 'its capability is not known here'}`
}

/**
 * Why only a person may do the work of an operation anew, with other parameters or as another operation: nothing checks first
 * whether this one took effect.
 */
export async function needsPersonAnew(
  { ledger, registry }: Parts,
  { id, capability, attempts }: Tried,
): Promise<string | undefined> {
  const known = registry.get(capability) ?? { retry: 'none' }
  const tries = attempts > 0 && known.retry !== 'replay' ? await ledger.attempts(id) : []
  return mayRunAgain(known, tries) ? undefined : 'it may already have taken effect as it was'
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
