import { shellWord } from '../option/shell-word.ts'

/** What a provider may need from a person. */
export type ProviderNeed = 'login' | 'payment'

/** What a person does about it. */
export const STEPS: Readonly<Record<ProviderNeed, string>> = {
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

/**
 * What a person does about an operation that is parked for such a need.
 * @param refusedBy the provider that refused it; not the first of its pool if that was only busy
 */
export function nextStepOf(
  need: ProviderNeed,
  { id, providers }: { id: string; providers: readonly string[] },
  refusedBy = providers[0],
): string {
  return refusedBy === undefined
    ? `${STEPS[need]}, then: mulligan ops retry ${id}`
    : nextStepFor(need, refusedBy)
}

/** The provider that refused an operation which waits for a login or a payment, by its attempts. */
export function refuserOf(
  need: ProviderNeed,
  attempts: readonly { provider?: string | undefined; failure?: { kind: string; provider?: string } }[],
): string | undefined {
  const last = attempts.findLast(
    ({ failure }) => failure && (failure.kind === 'billing') === (need === 'payment'),
  )
  return last?.provider ?? last?.failure?.provider
}

/** What a provider needs from a person by its status; undefined if nothing. */
export function needOf({
  loginRefused,
  blocks,
}: {
  loginRefused: boolean
  blocks: readonly { failure: { kind: string } }[]
}): ProviderNeed | undefined {
  if (loginRefused) return 'login'
  return blocks.some(({ failure }) => failure.kind === 'billing') ? 'payment' : undefined
}

/** Whether a parked operation waits for such a need. */
export function isProviderNeed(parkedFor: string | undefined): parkedFor is ProviderNeed {
  return parkedFor === 'login' || parkedFor === 'payment'
}
