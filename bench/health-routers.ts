import { ConsecutiveBreaker, circuitBreaker, handleAll, isBrokenCircuitError } from 'cockatiel'
import { call } from '../src/call/call.ts'
import { NodeHealth as Health } from '../src/process/node-health.ts'
import { defaultPolicy } from '../src/verdict/default-policy.ts'
import { PROVIDERS, type World } from './health-world.ts'

/** Serves one call; false if it could not be served. All have the same bounds: three tries within a minute. */
export type Router = (world: World) => () => Promise<boolean>

/** These remember nothing, so there is nothing that they could notice. */
export const FORGETFUL: ReadonlySet<string> = new Set(['always first', 'round robin'])

export const TRIES = 3
export const BUDGET_MS = 60_000
const ALL = PROVIDERS.map((_, index) => index)

/** The loop that all peers share: the next provider in order that admits and was not tried yet. */
async function inOrder(
  world: World,
  order: readonly number[],
  attempt: (provider: number) => Promise<'served' | 'failed' | 'refused'>,
): Promise<boolean> {
  const { time } = world
  const end = time.monotonic() + BUDGET_MS
  const tried = new Set<number>()
  let tries = 0
  while (tries < TRIES && time.monotonic() < end) {
    let outcome: 'served' | 'failed' | 'refused' = 'refused'
    for (const provider of order) {
      if (tried.has(provider)) continue
      outcome = await attempt(provider)
      if (outcome === 'refused') continue
      tried.add(provider)
      break
    }
    if (outcome === 'served') return true
    if (outcome === 'failed') tries++
    // Nobody admits: all wait the same while there is time.
    else await new Promise<void>(resolve => time.after(1_000, resolve))
  }
  return false
}

async function sent(world: World, provider: number): Promise<'served' | 'failed'> {
  try {
    await world.send(provider)
    return 'served'
  } catch {
    return 'failed'
  }
}

const mulligan: Router = world => {
  const { time } = world
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const health = new Health({ time, random })
  return async () => {
    let tries = 0
    try {
      await call(
        ({ provider }) => {
          tries++
          return world.send(PROVIDERS.indexOf(provider as string))
        },
        {
          pool: PROVIDERS,
          health,
          time,
          random,
          maxRetries: 0,
          budgetMs: BUDGET_MS,
          minRetryBudgetMs: 0,
          // The same number of tries as everybody else.
          policy: {
            name: 'tries',
            verdict: (failure, circumstances) =>
              tries >= TRIES
                ? { action: 'cancel', as: 'exhausted', reason: 'three tries', rule: 'bench' }
                : defaultPolicy.verdict(failure, circumstances),
          },
        },
      )
      return true
    } catch {
      return false
    }
  }
}

const alwaysFirst: Router = world => () => inOrder(world, ALL, provider => sent(world, provider))

const roundRobin: Router = world => {
  let next = 0
  return () => {
    const from = next++ % ALL.length
    const order = ALL.map(index => (from + index) % ALL.length)
    return inOrder(world, order, provider => sent(world, provider))
  }
}

const cockatiel: Router = world => {
  const breakers = ALL.map(() =>
    circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) }),
  )
  return () =>
    inOrder(world, ALL, async provider => {
      try {
        await breakers[provider]?.execute(() => world.send(provider))
        return 'served'
      } catch (error) {
        return isBrokenCircuitError(error) ? 'refused' : 'failed'
      }
    })
}

const COOLDOWN_MS = 5_000

/**
 * LiteLLM's rule as its documentation states it: out for 5 s at once on 429, 401, 404 and 408, and when more than
 * half of the present minute's requests failed. Applied to the same order of providers.
 */
const liteLlm: Router = world => {
  const { time } = world
  const states = ALL.map(() => ({ coolUntil: 0, minute: 0, total: 0, failed: 0 }))
  return () =>
    inOrder(world, ALL, async provider => {
      const state = states[provider] as (typeof states)[number]
      if (time.now() < state.coolUntil) return 'refused'
      let status: number | undefined
      let isServed = true
      try {
        await world.send(provider)
      } catch (error) {
        isServed = false
        const timedOut = (error as Error).name.includes('Timeout')
        status = timedOut ? 408 : (error as { status?: number }).status
      }
      const minute = Math.floor(time.now() / 60_000)
      if (state.minute !== minute) Object.assign(state, { minute, total: 0, failed: 0 })
      state.total++
      if (isServed) return 'served'
      state.failed++
      const isAtOnce = status !== undefined && [401, 404, 408, 429].includes(status)
      if (isAtOnce || state.failed > state.total / 2) state.coolUntil = time.now() + COOLDOWN_MS
      return 'failed'
    })
}

export const ROUTERS: Record<string, Router> = {
  Mulligan: mulligan,
  'cockatiel breakers': cockatiel,
  'LiteLLM cooldown': liteLlm,
  'always first': alwaysFirst,
  'round robin': roundRobin,
}
