import { shellWord } from '../config/shell-word.ts'

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
