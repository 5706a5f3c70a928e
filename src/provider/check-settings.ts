import { WrongArgument } from '../failure/own-error.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import { FAILOVERS } from '../verdict/circumstances.ts'
import type { HealthOptions } from './health-options.ts'
import type { Cap, FleetCeiling, PoolSettings, ProviderSettings } from './settings.ts'

const HEALTH_NAMES = namesOf<HealthOptions>({
  providers: true,
  pools: true,
  fleet: true,
  signatures: true,
  store: true,
  onEvent: true,
  onStoreProblem: true,
  instance: true,
  time: true,
  random: true,
})
const POOL_NAMES = namesOf<PoolSettings>({
  id: true,
  providers: true,
  models: true,
  failover: true,
  routing: true,
})
const FLEET_NAMES = namesOf<FleetCeiling>({ dayUsd: true, monthUsd: true, timeZone: true })
const PROVIDER_NAMES = namesOf<ProviderSettings>({
  id: true,
  quota: true,
  models: true,
  caps: true,
  timeZone: true,
  breaker: true,
  retryBucket: true,
  learnRate: true,
  maxConcurrent: true,
  probe: true,
  credential: true,
})

/** Throws a TypeError that names the wrong setting and what would be right. */
export function checkSettings(options: HealthOptions): void {
  const { providers = [], pools = [], fleet = {} } = options
  checkNames('health', options, HEALTH_NAMES)
  checkNames('health: fleet', fleet, FLEET_NAMES)
  unique('provider', providers)
  unique('pool', pools)
  for (const provider of providers) checkProvider(provider)
  for (const pool of pools) {
    const { id, providers: members, models = {}, failover, routing = {} } = pool
    checkNames(`health: pool "${id}"`, pool, POOL_NAMES)
    if (failover !== undefined && !FAILOVERS.includes(failover))
      throw new WrongArgument(`health: pool "${id}", failover must be first or last, not ${failover}`)
    const weights = typeof routing === 'object' ? routing : {}
    if (typeof routing === 'string' && routing !== 'order' && routing !== 'cheapest')
      throw new WrongArgument(
        `health: pool "${id}", routing must be order, cheapest or weights, not ${routing}`,
      )
    for (const [what, named] of Object.entries({ models, routing: weights })) {
      const stranger = Object.keys(named).find(name => !members.includes(name))
      if (stranger !== undefined)
        throw new WrongArgument(
          `health: pool "${id}", ${what} names "${stranger}", which is not one of its providers: ${members.join(', ')}`,
        )
    }
    for (const [name, weight] of Object.entries(weights)) amount(`pool "${id}", weight of ${name}`, weight)
    if (members.length === 0) throw new WrongArgument(`health: pool "${id}" has no providers`)
    if (new Set(members).size < members.length)
      throw new WrongArgument(`health: pool "${id}" names a provider twice`)
  }
  amount('fleet.dayUsd', fleet.dayUsd)
  amount('fleet.monthUsd', fleet.monthUsd)
  zone('fleet.timeZone', fleet.timeZone)
}

function checkProvider(provider: ProviderSettings): void {
  const { id, caps = [], maxConcurrent, probe, timeZone } = provider
  const where = `provider "${id}"`
  checkNames(`health: ${where}`, provider, PROVIDER_NAMES)
  for (const [index, cap] of caps.entries()) checkCap(`${where}, caps[${index}]`, cap)
  zone(`${where}, timeZone`, timeZone)
  if (maxConcurrent !== undefined && !(maxConcurrent >= 1))
    throw new WrongArgument(`health: ${where}, maxConcurrent must be at least 1, not ${maxConcurrent}`)
  if (probe && (probe.run === undefined) === (probe.command === undefined))
    throw new WrongArgument(`health: ${where}, probe must have either run or command`)
  for (const [name, value] of Object.entries(provider.breaker ?? {})) {
    if (!(typeof value === 'number' && value > 0))
      throw new WrongArgument(`health: ${where}, breaker.${name} must be a number above 0, not ${value}`)
  }
}

function checkCap(where: string, { per, usd, tokens, requests }: Cap): void {
  const isWindow =
    typeof per === 'number' ? per > 0 && per < Infinity : ['hour', 'day', 'month'].includes(per)
  if (!isWindow)
    throw new WrongArgument(
      `health: ${where}.per must be hour, day, month or a number of milliseconds, not ${JSON.stringify(per)}`,
    )
  if (usd === undefined && tokens === undefined && requests === undefined)
    throw new WrongArgument(`health: ${where} must have usd, tokens or requests`)
  amount(`${where}.usd`, usd)
  amount(`${where}.tokens`, tokens)
  amount(`${where}.requests`, requests)
}

function amount(where: string, value: number | undefined): void {
  if (value !== undefined && !(typeof value === 'number' && value >= 0))
    throw new WrongArgument(`health: ${where} must be a number of at least 0, not ${value}`)
}

function zone(where: string, value: string | undefined): void {
  // Loading the zones takes 15 ms, and nearly all settings name this one.
  if (value === undefined || value === 'UTC') return
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
  } catch {
    throw new WrongArgument(
      `health: ${where} must be an IANA time zone such as Europe/Berlin, not ${JSON.stringify(value)}`,
    )
  }
}

function unique(what: string, list: readonly { id: string }[]): void {
  const seen = new Set<string>()
  for (const { id } of list) {
    if (typeof id !== 'string' || id === '') throw new WrongArgument(`health: a ${what} has no id`)
    if (seen.has(id)) throw new WrongArgument(`health: two ${what}s are called "${id}"`)
    seen.add(id)
  }
}
