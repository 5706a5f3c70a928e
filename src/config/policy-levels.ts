import type { Failure } from '../failure/failure.ts'
import type { Policy } from '../verdict/policy.ts'
import { policyNamed, policyOf } from './policy.ts'
import type { Config } from './schema/config.ts'

/** The policies of the config as one: that of the failed provider if it has one, else `[policy]`. */
export function policyOfConfig({ providers, policy }: Pick<Config, 'providers' | 'policy'>): Policy {
  const general = policyOf(policy)
  const own = new Map(
    providers.flatMap(({ id, policy: name }) =>
      name === undefined ? [] : [[id, policyNamed(name)] as const],
    ),
  )
  if (own.size === 0) return general
  const of = ({ provider }: Failure): Policy => own.get(provider ?? '') ?? general
  return {
    name: general.name,
    verdict: (failure, circumstances) => of(failure).verdict(failure, circumstances),
    health: (failure, circumstances) => of(failure).health(failure, circumstances),
  }
}
