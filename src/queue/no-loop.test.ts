import { describe, expect, it } from 'vitest'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../test/work.ts'
import { call } from '../call/call.ts'
import type { CallFailed } from '../call/call-failed.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { ScriptStep } from '../testing/core/script.ts'
import { scriptedCall } from '../testing/core/scripted-call.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

eachTest()
const tries = () => scripted.script.tries.length

describe('an operation', () => {
  it('whose session is with a limited provider waits for that one, however healthy the others are', async () => {
    const resetAt = time.now() + HOUR
    const session = { effect: 'maybe', sessionId: 's1' } as const
    await make({
      retry: 'none',
      resumable: true,
      pool: ['a', 'b'],
      script: [{ fails: { kind: 'usage_limit', resetAt, ...session } }],
    })
    const id = await submitted()
    await time.advance(30 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'scheduled', run: 1, dueAt: resetAt, mode: 'resume' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 2 })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'a'])
  })

  it('that hits a limit of “this model” waits until it lifts, although it names no model', async () => {
    const fails = {
      kind: 'quota',
      model: 'opus-4',
      message: 'You have exhausted your capacity on this model',
      effect: 'none',
      resetAt: time.now() + 10 * MINUTE,
    } as const
    await make({ provider: 'a', script: Array.from({ length: 30 }, (): ScriptStep => ({ fails })) })
    const id = await submitted()
    await time.advance(9 * MINUTE)
    expect(tries()).toBe(1)
    expect(await now(id)).toMatchObject({ state: 'scheduled', run: 1, snoozes: 1 })
  })

  it('of one model continues while another model is limited', async () => {
    const fails = {
      kind: 'quota',
      model: 'opus-4',
      message: 'You have exhausted your capacity on this model',
      effect: 'none',
      resetAt: time.now() + 10 * MINUTE,
    } as const
    const model = (params: unknown) => (params as { model: string }).model
    await make({ provider: 'a', model, script: [{ fails }] })
    await submitted({ model: 'opus-4' })
    await time.advance(SECOND)
    const other = await queue.submit('work', { model: 'haiku' })
    expect(await ended(other.id)).toMatchObject({ state: 'succeeded' })
    expect(time.now()).toBeLessThan(fails.resetAt)
  })

  it('that returns for one reason again and again waits longer each time, and says so', async () => {
    // A policy that is wrong about when it can work, which nothing else would stop.
    const hasty = {
      verdict: (_failure: unknown, circumstances: { now: number }) => ({
        action: 'snooze' as const,
        until: circumstances.now + 1,
        mode: 'again' as const,
        reason: 'at once',
        rule: 'hasty',
      }),
    }
    const fails = { kind: 'rate_limit', effect: 'none' } as const
    await make(
      { policy: hasty, script: Array.from({ length: 100 }, (): ScriptStep => ({ fails })) },
      { maxSnoozes: 1_000 },
    )
    const id = await submitted()
    await time.advance(HOUR)
    expect(tries()).toBeLessThanOrEqual(14)
    expect(await now(id)).toMatchObject({ state: 'scheduled' })
    expect((await now(id)).reason).toMatch(/at once; it has come back \d+ times for this reason without/)
  })

  it('starts a new count once a person revives it', async () => {
    const hasty = (_failure: unknown, circumstances: { now: number }) => ({
      action: 'snooze' as const,
      until: circumstances.now + 1,
      mode: 'again' as const,
      reason: 'at once',
      rule: 'hasty',
    })
    const fails = { kind: 'rate_limit', effect: 'none' } as const
    const script = Array.from({ length: 20 }, (): ScriptStep => ({ fails }))
    await make({ policy: hasty, script }, { maxSnoozes: 4 })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
    const before = tries()
    expect(await queue.retry(id)).toBe('revived')
    await time.advance(4 * SECOND)
    // The first wait may be of any length; only the second one counts as repeated.
    expect(tries() - before).toBe(2)
  })

  it('counts as returning for one reason even if the message of its failure differs each time', async () => {
    const script = Array.from({ length: 100 }, (_, index): ScriptStep => {
      const message = `slow down, ${String.fromCharCode(97 + index)}${'x'.repeat(index)}`
      return { fails: { kind: 'rate_limit', effect: 'none', retryAfterMs: SECOND, message } }
    })
    await make({ provider: 'a', script })
    const id = await submitted()
    await time.advance(HOUR)
    expect(tries()).toBeLessThanOrEqual(14)
    expect(await now(id)).toMatchObject({ state: 'scheduled' })
  })

  it('that no provider admits is not claimed in a loop, whatever the gate says about when to ask', async () => {
    class Wrong extends Health {
      override choose(request: Parameters<Health['choose']>[0]) {
        const choice = super.choose(request) as Awaited<ReturnType<Health['choose']>>
        return choice.permit ? choice : { ...choice, availableAt: time.now() }
      }
      // The engine does not hold what the gate refuses.
      override async status() {
        return []
      }
    }
    const health = new Wrong({ time, random: () => 0 })
    await health.pause('a', 'invoice unpaid')
    await make({ provider: 'a' }, { health })
    const id = await submitted()
    await time.advance(HOUR)
    const { run, reason } = await now(id)
    expect(run).toBeLessThanOrEqual(14)
    expect(reason).toMatch(/invoice unpaid; it has come back \d+ times for this reason/)
    expect(tries()).toBe(0)
  })
})

describe('a fleet', () => {
  const fails = { kind: 'rate_limit', effect: 'none' } as const
  const throttled = Array.from({ length: 1_000 }, (): ScriptStep => ({ fails }))

  it('of 60 operations calls a throttled provider that states no time about 14 times in an hour', async () => {
    await make({ provider: 'a', script: throttled })
    for (let i = 0; i < 2; i++) await queue.runner({ concurrency: 8 }).start()
    for (let minute = 0; minute < 60; minute++) {
      await queue.submit('work', { minute })
      await time.advance(MINUTE)
    }
    // Ten times within the first 16 minutes, then every 15 minutes, whichever goes first.
    expect(tries()).toBeLessThanOrEqual(15)
    expect((await queue.ledger.list({ state: ['dead'] }, { limit: 1 })).items).toEqual([])
    scripted.script.clear()
    const met = tries()
    await time.advance(HOUR)
    expect((await queue.ledger.list({ state: ['succeeded'] }, { limit: 100 })).items).toHaveLength(60)
    expect(tries()).toBe(met + 60)
  })

  it('of 60 calls in one process does so too', async () => {
    await make()
    const gate = new Health({ time, random: () => 0 })
    const work = scriptedCall(throttled)
    const refused: string[] = []
    for (let minute = 0; minute < 60; minute++) {
      const ended = call(work, { provider: 'a', health: gate, time, maxRetries: 0, budgetMs: SECOND })
      await time.until(
        ended.catch((error: CallFailed) => refused.push(`${error.failure.class}/${error.failure.kind}`)),
      )
      await time.advance(MINUTE)
    }
    expect(work.script.tries.length).toBeLessThanOrEqual(15)
    expect(new Set(refused)).toEqual(new Set(['throttle/rate_limit']))
    expect(refused).toHaveLength(60)
  })
})
