import type { Agents } from '../agent/agents-from.ts'
import { agentsOf } from '../agent/from-config.ts'
import { healthSettings, lookingHealthSettings } from '../agent/health-from-config.ts'
import type { Prices } from '../call/price.ts'
import { listPrices } from '../config/list-prices.ts'
import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { policyOfConfig } from '../config/policy-levels.ts'
import { pricesOf } from '../config/prices.ts'
import { present } from '../failure/present.ts'
import { LearnedSignatures } from '../ledger/learned-signatures.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { HealthEvent } from '../provider/event.ts'
import type { ProviderSettings } from '../provider/settings.ts'
import type { StoredLedger } from '../queue/stored-ledger.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Policy } from '../verdict/policy.ts'
import type { Host } from './host.ts'

/** The parts of a config that read-only commands use. */
export interface Parts {
  loaded: LoadedConfig
  classify: { signatures: LearnedSignatures; readonly timeZone: string }
  /** The policies of the config, most specific first. */
  policy: Policy
  /** Of `[[price]]`, else the vendors' list prices. */
  prices: Prices
}

/** The parts of a trusted config that commands act on. */
export interface ActingParts extends Parts {
  loaded: TrustedConfig
  agents: Agents
}

/** What the health of a config's providers needs besides the config. */
export interface BesideConfig {
  /** Called for every change of health that this process made. Default none. */
  onHealth?: (event: HealthEvent) => void
  /** Providers in addition to those of the config. Default none. */
  providers?: readonly ProviderSettings[]
  /** Default the system clock. */
  time?: Time
}

/** The parts for read-only use, which can start or load nothing. */
export function partsOf(loaded: LoadedConfig): Parts {
  return {
    loaded,
    policy: policyOfConfig(loaded.config),
    prices: [pricesOf(loaded.config.prices), listPrices],
    classify: {
      signatures: new LearnedSignatures(loaded.signatures, { mayTrust: loaded.isTrusted }),
      // A getter, because finding the system's zone is slow and few texts need it.
      get timeZone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone
      },
    },
  }
}

/** The parts for acting on a config. */
export function actingPartsOf(loaded: TrustedConfig, { env }: Pick<Host, 'env'>): ActingParts {
  // A spread would call the `timeZone` getter at once.
  return Object.assign(partsOf(loaded), { loaded, agents: agentsOf(loaded, env) })
}

/** Health of the config's providers. Without a ledger, only this process knows it. */
export function healthOf(
  parts: Parts | ActingParts,
  ledger: StoredLedger | undefined,
  { env, cwd }: Host,
  { onHealth, providers = [], time = realTime }: BesideConfig = {},
): Health {
  const settings =
    'agents' in parts
      ? healthSettings(parts.loaded, { env, cwd, agents: parts.agents, classify: parts.classify })
      : lookingHealthSettings(parts.loaded, { env })
  return new Health({
    ...settings,
    providers: [...(settings.providers ?? []), ...providers],
    signatures: parts.classify.signatures,
    time,
    ...(ledger ? { store: ledger.providers } : {}),
    ...present({ onEvent: onHealth }),
  })
}
