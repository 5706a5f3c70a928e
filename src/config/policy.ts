import type { Failure } from '../failure/failure.ts'
import { PLAIN_KIND } from '../failure/label.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { Policy } from '../verdict/policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { PolicyConfig, PRESET_NAMES } from './schema/policy.ts'

type Override = PolicyConfig['override'][number]

/** The policy with this name, as used by providers and capabilities. */
export function policyNamed(name: (typeof PRESET_NAMES)[number]): Policy {
  return name === 'default' ? defaultPolicy : PRESETS[name]
}

/**
 * `[policy]` as the last level before the default. A call's retries, backoff and minimum budget are options of the call; this
 * decides only about single classes and kinds.
 */
export function policyOf({
  preset,
  override,
  failover = 'last',
}: Pick<PolicyConfig, 'preset' | 'override'> & Partial<Pick<PolicyConfig, 'failover'>>): Policy {
  const base = policyNamed(preset)
  if (override.length === 0 && failover === 'last') return base
  const decided = <T>(
    failure: Failure,
    circumstances: Circumstances,
    decide: (failure: Failure, circumstances: Circumstances) => T,
  ): T => {
    const found = overrideFor(failure, override)
    const asConfigured = { failover, ...circumstances }
    return decide(treatedAs(failure, found?.treatAs), within(asConfigured, found))
  }
  return {
    name: `[policy] ${base.name}`,
    verdict: (failure, circumstances) => decided(failure, circumstances, base.verdict),
    health: (failure, circumstances) => decided(failure, circumstances, base.health),
  }
}

/** An override for the kind beats one for the class. */
function overrideFor(failure: Failure, overrides: readonly Override[]): Override | undefined {
  return (
    overrides.find(({ kind }) => kind === failure.kind) ??
    overrides.find(({ class: name }) => name === failure.class)
  )
}

function treatedAs(failure: Failure, treatAs: Override['treatAs']): Failure {
  if (treatAs === undefined || treatAs === failure.class) return failure
  return { ...failure, class: treatAs, kind: PLAIN_KIND[treatAs] }
}

/** An override can narrow what the call allows, not widen it. */
function within(circumstances: Circumstances, found: Override | undefined): Circumstances {
  if (!found) return circumstances
  return {
    ...circumstances,
    maxRetries: Math.min(circumstances.maxRetries, found.maxRetries ?? Infinity),
    backoff: found.backoff ?? circumstances.backoff,
    minRetryBudgetMs: Math.max(circumstances.minRetryBudgetMs, found.minRetryBudgetMs ?? 0),
  }
}
