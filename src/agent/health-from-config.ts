import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { MissingReference, resolveText, resolveTexts } from '../config/reference.ts'
import type { Config } from '../config/schema/config.ts'
import type { PoolConfig } from '../config/schema/pool.ts'
import type { ProviderConfig } from '../config/schema/provider.ts'
import type { ClassifyContext } from '../failure/context.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import type { HealthOptions } from '../provider/health-options.ts'
import type { ProbeContext, ProbeSettings } from '../provider/probe.ts'
import type { Cap, ModelSettings, PoolSettings, ProviderSettings } from '../provider/settings.ts'
import type { Agents } from './agents-from.ts'
import { loginTrace } from './login-trace.ts'
import { ownFailure } from './own-failure.ts'
import { runAgent } from './run-agent.ts'
import type { Environment } from './variables.ts'

/** What provider probes use from outside. */
export interface HealthConfigDeps {
  env: Environment
  /** The working folder of probes. */
  cwd: string
  /** Runs the prompts of probes. */
  agents: Agents
  classify?: Pick<ClassifyContext, 'signatures' | 'timeZone'>
}

type Settings = Required<Pick<HealthOptions, 'providers' | 'pools' | 'fleet'>>

/** A config's providers, pools and ceilings, as settings of a health. */
export function healthSettings(
  { config, signatures }: TrustedConfig,
  deps: HealthConfigDeps,
): Settings & Required<Pick<HealthOptions, 'signatures'>> {
  const { env } = deps
  const settings = settingsOf(config, provider =>
    providerSettings(provider, env, provider.probe && probeOf(provider, provider.probe, deps)),
  )
  return { ...settings, signatures }
}

/** The same for commands that only read: probes cannot run, and an untrusted config reaches no credential. */
export function lookingHealthSettings(
  { config, isTrusted }: LoadedConfig,
  { env }: Pick<HealthConfigDeps, 'env'>,
): Settings {
  return settingsOf(config, provider =>
    providerSettings(provider, isTrusted ? env : undefined, provider.probe && REFUSED),
  )
}

const REFUSED: ProbeSettings = {
  run: () => {
    throw new Error('a read-only command runs no probes')
  },
}

function settingsOf(config: Config, of: (provider: ProviderConfig) => ProviderSettings): Settings {
  return {
    providers: config.providers.map(of),
    pools: config.pools.map(poolSettings),
    fleet: fleetOf(config),
  }
}

/** A pool of a config, as settings of a health. */
export function poolSettings({ routing, weights, ...pool }: PoolConfig): PoolSettings {
  return { ...pool, ...present({ routing: weights ?? routing }) }
}

function providerSettings(
  provider: ProviderConfig,
  env: Environment | undefined,
  probe: ProbeSettings | undefined,
): ProviderSettings {
  const { id, quota, models, caps, timeZone, breaker, concurrency } = provider
  const credential = env && credentialOf(provider, env)
  return {
    id,
    timeZone,
    breaker,
    models: models.map(modelOf),
    caps: caps.map(capOf),
    ...present({ quota, maxConcurrent: concurrency, probe, credential }),
  }
}

/** The credential that the config names; for an agent CLI without one, the login in its home folder. */
function credentialOf(
  { credential, cli, env: own }: ProviderConfig,
  env: Environment,
): (() => string | undefined) | undefined {
  if (credential) return () => (credential.isSet({ env }) ? credential.resolve({ env }) : undefined)
  if (cli === undefined || cli === 'command') return undefined
  return () => loginTrace(cli, { ...env, ...resolveTexts(own, { env }) })
}

function probeOf(
  provider: ProviderConfig,
  { argv, prompt, timeoutMs }: NonNullable<ProviderConfig['probe']>,
  { env, cwd, agents, classify }: HealthConfigDeps,
): ProbeSettings {
  const { id } = provider
  try {
    if (prompt === undefined) {
      const [program = '', ...args] = (argv ?? []).map(argument => resolveText(argument, { env }))
      return {
        command: [program, ...args],
        cwd,
        env: { ...env, ...resolveTexts(provider.env, { env }) },
        timeoutMs,
      }
    }
    const asked = resolveText(prompt, { env })
    return {
      timeoutMs,
      run: async ({ signal }: ProbeContext) => {
        const outcome = await runAgent(
          agents.get(id),
          { prompt: asked },
          { signal, env, cwd, ...present({ classify }) },
        )
        if (outcome.ok) return outcome.text
        throw new KnownFailure(outcome.failure, outcome)
      },
    }
  } catch (error) {
    if (!(error instanceof MissingReference)) throw error
    const { message } = error
    return {
      timeoutMs,
      run: () => {
        throw new KnownFailure(
          ownFailure({ kind: 'config', rule: 'variable_missing', provider: id, message }),
        )
      },
    }
  }
}

function modelOf({ id, contextWindow }: ProviderConfig['models'][number]): ModelSettings {
  return { id, ...present({ contextWindow }) }
}

function capOf({ per, usd, tokens, requests }: ProviderConfig['caps'][number]): Cap {
  return {
    per,
    ...present({ usd, tokens, requests }),
  }
}

function fleetOf({ budget: { dayUsd, monthUsd, timeZone } }: Config): NonNullable<HealthOptions['fleet']> {
  return {
    timeZone,
    ...present({ dayUsd, monthUsd }),
  }
}
