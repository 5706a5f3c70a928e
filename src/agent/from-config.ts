import { dirname, resolve } from 'node:path'
import { ConfigError } from '../config/error.ts'
import type { TrustedConfig } from '../config/loaded.ts'
import { EnvReference, type Text } from '../config/reference.ts'
import type { Config } from '../config/schema/config.ts'
import type { ProviderConfig } from '../config/schema/provider.ts'
import { present } from '../failure/present.ts'
import { hideFromNowOn } from '../failure/secret/known.ts'
import { Agents, type ConfiguredProvider } from './agents-from.ts'
import { agentProblems } from './check-options-of.ts'
import { type AgentOptions, optionsFromJson } from './options.ts'
import { secretsOf } from './provider-secrets.ts'
import type { Environment } from './variables.ts'

/**
 * The agents of a config, which starts their programs. Hides the secrets they are given in all output from now on. Throws a
 * {@link ConfigError} with every option that its CLI could never take.
 */
export function agentsOf(loaded: TrustedConfig, env: Environment): Agents {
  const problems = agentProblems(loaded)
  if (problems.length > 0) throw new ConfigError(loaded.file ?? 'mulligan.toml', problems)
  const { providers, pools } = loaded.config
  hideFromNowOn(providers.flatMap(provider => secretsOf(provider, env)))
  return new Agents({
    providers: providers.map(provider => configuredProvider(provider, loaded, env)),
    pools: pools.map(({ id, providers: members }) => ({ name: id, providers: members })),
  })
}

function configuredProvider(
  provider: ProviderConfig,
  { file }: TrustedConfig,
  env: Environment,
): ConfiguredProvider {
  const needed = new Map<string, string>()
  // A missing variable fails the runs of this provider, by name, and no others.
  const textOf = (text: Text): string => {
    if (typeof text === 'string') return text
    needed.set(text.variable, text.variable)
    return text.isSet({ env }) ? text.resolve({ env }) : ''
  }
  const { id, cli, credential, command, models, passEnv, minVersion, selfRetries, stallMs, price } = provider
  const { modelProvider } = provider
  const args = provider.args.map(textOf)
  const binary = command === undefined ? undefined : programOf(textOf(command), file)
  const literal: Record<string, string> = {}
  for (const [name, text] of Object.entries(provider.env)) {
    if (typeof text === 'string') literal[name] = text
    else needed.set(name, text.variable)
  }
  return {
    id,
    ...present({ cli, binary }),
    ...(args.length > 0 ? { args } : {}),
    ...(models[0] === undefined ? {} : { model: models[0].id }),
    ...optionsOf('defaults', provider),
    ...optionsOf('pinned', provider),
    ...(credential instanceof EnvReference ? { credentialEnv: credential.variable } : {}),
    ...(needed.size > 0 ? { envFrom: Object.fromEntries(needed) } : {}),
    ...(Object.keys(literal).length > 0 ? { env: literal } : {}),
    ...present({ passEnv }),
    ...(provider.allowDangerous ? { allowDangerous: true } : {}),
    ...present({ minVersion, selfRetries, modelProvider, stallMs }),
    ...(price === undefined ? {} : { price: priceOf(price) }),
  }
}

/** A path is relative to the config file; a bare name is found on PATH. */
function programOf(command: string, file: string | undefined): string {
  return command.includes('/') && file !== undefined ? resolve(dirname(file), command) : command
}

function optionsOf(
  key: 'defaults' | 'pinned',
  provider: ProviderConfig,
): { [K in 'defaults' | 'pinned']?: AgentOptions } {
  const given = provider[key]
  return Object.keys(given).length === 0 ? {} : { [key]: optionsFromJson(given) }
}

function priceOf({ inputUsd, outputUsd, cachedUsd }: NonNullable<ProviderConfig['price']>) {
  return { inputUsd, outputUsd, ...present({ cachedUsd }) }
}

/** The providers of each pool of a config, by pool name. */
export function poolsOf({ pools }: Pick<Config, 'pools'>): ReadonlyMap<string, readonly string[]> {
  return new Map(pools.map(({ id, providers }) => [id, providers]))
}
