import { shellWord } from '../config/shell-word.ts'
import type { Operation } from '../ledger/operation.ts'

/** What a provider may need from a person. */
export type ProviderNeed = 'login' | 'payment'

const STEPS: Readonly<Record<ProviderNeed, string>> = {
  login: 'Log in again',
  payment: 'Pay, or raise its limit',
}

/**
 * What a person does about a provider that refuses its login or wants money: the same words everywhere. The reset is part
 * of it, because operations that wait for the provider make no call that could find out.
 */
export function nextStepFor(need: ProviderNeed, provider: string): string {
  return `${STEPS[need]}, then: mulligan providers reset ${shellWord(provider)}`
}

/** What a person does about an operation that is parked for such a need. */
export function nextStepOf(
  need: ProviderNeed,
  { id, providers }: Pick<Operation, 'id' | 'providers'>,
): string {
  const [provider] = providers
  return provider === undefined
    ? `${STEPS[need]}, then: mulligan ops retry ${id}`
    : nextStepFor(need, provider)
}
