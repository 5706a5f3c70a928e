import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { MemoryStore } from '../provider/memory-store.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const http = (status: number, message: string) => Object.assign(new Error(message), { status })
const unpaid = () => http(402, 'Your credit balance is too low.')
const refused = () => http(401, 'invalid x-api-key')

/** Asks again and again through two processes with one store, and says after how many minutes a call went through. */
async function sent(error: () => Error, minutes: number, everyMs: number) {
  const time = new FakeTime()
  const store = new MemoryStore()
  const providers = [{ id: 'a', credential: 'key' }]
  const gates = [1, 2].map(() => new Health({ time, store, providers }))
  const begun = time.now()
  const found: number[] = []
  const ask = (gate: Health) =>
    call(
      () => {
        found.push((time.now() - begun) / MINUTE)
        throw error()
      },
      { provider: 'a', health: gate, time },
    ).catch((failed: CallFailed) => failed)
  for (let at = 0; at <= minutes * MINUTE; at += everyMs) {
    for (const gate of gates) await ask(gate)
    await time.advance(everyMs)
  }
  return { found, time, gates, last: (await ask(gates[0] as Health)) as CallFailed }
}

describe('a block that time does not end', () => {
  it('lets one call of all processes through per interval: 1 h to 24 h for money', async () => {
    const { found, last } = await sent(unpaid, 8 * 60, 10 * MINUTE)
    expect(found).toEqual([0, 60, 180, 420])
    expect(last.failure.message).toContain(
      "is too low. Pay, or raise its limit, then: mulligan providers reset a, or health.reset('a')",
    )
  })

  it('1 min to 1 h for a refused login', async () => {
    const { found } = await sent(refused, 180, MINUTE)
    expect(found).toEqual([0, 1, 3, 7, 15, 31, 63, 123])
  })

  it('ends with the success of that call', async () => {
    const { time, gates } = await sent(unpaid, 0, MINUTE)
    const [gate, other] = gates as [Health, Health]
    await time.advance(HOUR)
    expect((await call(() => 'paid', { provider: 'a', health: gate, time })).value).toBe('paid')
    await time.advance(1_000)
    expect((await call(() => 'paid', { provider: 'a', health: other, time })).value).toBe('paid')
  })
})
