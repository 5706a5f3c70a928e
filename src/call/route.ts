import { WrongArgument } from '../failure/own-error.ts'
import type { Gate } from '../provider/gate.ts'
import type { PoolSettings, Routing } from '../provider/settings.ts'
import type { CallOptions } from './options.ts'
import { ordered } from './routing.ts'

/** Where a call can go: its providers, the preferred one first, the model at each, and whether it moves on at once. */
export type Route = Omit<PoolSettings, 'id'>

const NOWHERE: Route = { providers: [] }

/** The route of a call: its pool, by list or by name, or its one provider. */
export function routeOf(options: CallOptions, gate: Gate): Route {
  const { pool, provider, models, failover } = options
  // Nearly every call has one provider and nothing else.
  if (pool === undefined && models === undefined && failover === undefined)
    return provider === undefined ? NOWHERE : { providers: [provider] }
  const named = typeof pool === 'string' ? poolNamed(pool, gate) : undefined
  const providers = named?.providers ?? (pool as readonly string[] | undefined)
  const { models: modelsOfPool, failover: failoverOfPool, routing } = named ?? {}
  const all = { ...modelsOfPool, ...models } as Readonly<Record<string, string>>
  return {
    providers: providers
      ? asRouted(providers, options, all, routing)
      : provider === undefined
        ? []
        : [provider],
    ...(models || modelsOfPool ? { models: all } : {}),
    ...(failover || failoverOfPool ? { failover: failover ?? failoverOfPool } : {}),
  } as Route
}

function asRouted(
  providers: readonly string[],
  { routing, sticky, prices, model, random = Math.random }: CallOptions,
  models: Readonly<Record<string, string>>,
  ofPool: Routing = 'order',
): readonly string[] {
  return ordered(providers, routing ?? ofPool, {
    random,
    sticky,
    prices,
    modelAt: provider => models[provider] ?? model,
  })
}

function poolNamed(name: string, gate: Gate): Route {
  if (gate.pool) return gate.pool(name)
  throw new WrongArgument(
    `call: pool "${name}" is a name, but the call's health knows no pools; give a list, or a Health with pools`,
  )
}
