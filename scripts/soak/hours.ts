import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Capability } from '../../src/capability/capability.ts'
import { defineCapability } from '../../src/capability/define.ts'
import type { SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts'
import { NodeHealth as Health } from '../../src/process/node-health.ts'
import { FakeTime } from '../../src/testing/core/fake-time.ts'
import { testQueue } from '../../src/testing/test-queue.ts'
import { quietly } from '../../src/time/clean-up.ts'

// Simulates hours of operations on a fake clock, with providers that fail and recover.

export interface SoakOptions {
  operations: number
  hours: number
  /** Default a ledger in memory. */
  ledger?: (time: FakeTime) => Promise<SqliteLedger>
  /** Called after each simulated hour. */
  onHour?: (hour: number) => void
}

export interface SoakReport {
  submitted: number
  succeeded: number
  dead: number
  /** Operations that have not ended. Must be 0. */
  lost: number
  /** Tries refused by the providers. */
  refused: number
  /** Operations held for a provider instead of being tried. */
  held: number
  /** Simulated hours until the last operation ended. */
  hours: number
  findings: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export async function soak({ operations, hours, ledger, onHour }: SoakOptions): Promise<SoakReport> {
  const time = new FakeTime()
  const start = time.now()
  let refused = 0
  const isUp = (now: number) => (now - start) % (30 * MINUTE) < 20 * MINUTE
  const flapping = (failure: (now: number) => unknown) => () => {
    if (isUp(time.now())) return 'ok'
    refused++
    throw failure(time.now())
  }
  const params = z.object({ n: z.number() })
  const limit = (now: number) => {
    const end = start + Math.ceil((now - start) / (30 * MINUTE)) * 30 * MINUTE
    const headers = { 'retry-after': `${Math.ceil((end - now) / 1_000)}` }
    return Object.assign(new Error('rate limit reached'), { status: 429, headers })
  }
  const down = () => Object.assign(new Error('service overloaded'), { status: 529 })
  const common = { params, retry: 'replay', retryForMs: 24 * HOUR, maxRetries: 50 } as const
  const capabilities = [
    defineCapability({ ...common, name: 'limited', provider: 'limited', run: flapping(limit) }),
    defineCapability({ ...common, name: 'down', provider: 'down', run: flapping(down) }),
    defineCapability({
      ...common,
      name: 'pooled',
      pool: ['down', 'steady'],
      run: (_params, { provider }) => (provider === 'down' ? flapping(down)() : 'ok'),
    }),
  ] as Capability[]
  const made = ledger && (await ledger(time))
  const health = new Health({
    providers: [{ id: 'limited' }, { id: 'down' }, { id: 'steady' }],
    time,
    random: () => 0.5,
  })
  const { queue } = await testQueue({ capabilities, time, health, ...(made ? { ledger: made } : {}) })
  try {
    await queue.runner({ concurrency: 32 }).start()
    const perMinute = Math.ceil(operations / (hours * 60))
    let submitted = 0
    const held = new Set<string>()
    for (let minute = 0; minute < hours * 60; minute++) {
      const count = Math.min(perMinute, operations - submitted)
      if (count > 0)
        await queue.submitMany(
          Array.from({ length: count }, (_, n) => ({
            capability: capabilities[(submitted + n) % 3]?.name as string,
            params: { n: submitted + n },
          })),
        )
      submitted += count
      await time.advance(MINUTE)
      const { items } = await queue.ledger.list({ state: 'scheduled' }, { limit: 1_000 })
      for (const each of items) if (each.state === 'scheduled' && each.heldBy !== undefined) held.add(each.id)
      if ((minute + 1) % 60 === 0) onHour?.((minute + 1) / 60)
    }
    const counts = () => queue.ledger.counts()
    for (let minutes = 0; minutes < 24 * 60; minutes++) {
      const { states } = await counts()
      if (states.succeeded + states.dead === submitted) break
      await time.advance(MINUTE)
    }
    const { states } = await counts()
    return {
      submitted,
      succeeded: states.succeeded,
      dead: states.dead,
      lost: submitted - states.succeeded - states.dead,
      refused,
      held: held.size,
      hours: (time.now() - start) / HOUR,
      findings: (await queue.ledger.check()).length,
    }
  } finally {
    await quietly(() => closeAsTimePasses(queue, time))
  }
}

async function closeAsTimePasses(queue: { close(): Promise<void> }, time: FakeTime): Promise<void> {
  let isClosed = false
  const closing = queue.close().finally(() => {
    isClosed = true
  })
  // A ledger in a file has a thread, which also needs real time.
  while (!isClosed) {
    await time.advance(1_000)
    await delay(1)
  }
  await closing
}
