import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../../test/work.ts'
import { defineCapability } from '../../capability/define.ts'
import type { FailureKind } from '../../failure/failure.ts'
import { KnownFailure } from '../../failure/own-error.ts'
import type { Choice } from '../../provider/gate.ts'
import { Health } from '../../provider/health.ts'
import { failureOfKind } from '../../testing/core/scripted-failure.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { Verdict } from '../../verdict/verdict.ts'

eachTest()

const SECOND = 1_000
const MINUTE = 60 * SECOND
const words = { reason: 'r', rule: 'r' }
const again: Verdict = { action: 'retry', delayMs: 5 * SECOND, mode: 'again', ...words }
const resume: Verdict = { ...again, mode: 'resume' }
const providers = () => scripted.script.tries.map(({ provider }) => provider)

/** Health that the engine does not know about: what it refuses is claimed all the same. */
class Unseen extends Health {
  override async status() {
    return []
  }
}
const health = () => new Unseen({ time, random: () => 0 })
/** Health that admits nothing and does not know until when. */
function refusing(kind: FailureKind): Unseen {
  const unwell = health()
  unwell.choose = () => ({ failure: failureOfKind({ kind, provider: 'a' }) }) as Choice
  return unwell
}
const fails = { kind: 'overloaded', effect: 'none' } as const

describe('a retry whose provider no longer admits', () => {
  it('goes to another that does, while its caller waits', async () => {
    const unwell = health()
    await make({ pool: ['a', 'b'], policy: () => again, script: [{ fails }] }, { health: unwell })
    const startedAt = time.now()
    const result = queue.run('work', {})
    await time.advance(SECOND)
    await unwell.pause('a', 'for a test')
    expect(await time.until(result)).toMatchObject({ value: 'ok' })
    expect(time.now()).toBe(startedAt + 5 * SECOND)
    expect(providers()).toEqual(['a', 'b'])
  })

  it('waits for it if it resumes a session', async () => {
    const unwell = health()
    const cut = { ...fails, effect: 'maybe', sessionId: 's1' } as const
    await make(
      { pool: ['a', 'b'], resumable: true, policy: () => resume, script: [{ fails: cut }] },
      { health: unwell },
    )
    const result = queue.run('work', {})
    await time.advance(SECOND)
    await unwell.pause('a', 'for a test')
    expect(await time.until(result)).toMatchObject({ queuedForRetry: true })
    expect(await now('op_1')).toMatchObject({ state: 'scheduled', mode: 'resume' })
    await unwell.resume('a')
    await queue.runner().start()
    expect(await ended('op_1')).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries.map(({ provider, resumed }) => [provider, resumed])).toEqual([
      ['a', undefined],
      ['a', 's1'],
    ])
  })
})

describe('an operation that no provider admits', () => {
  it('returns after a second at the soonest, whatever the gate says about when to ask', async () => {
    const unwell = health()
    await unwell.pause('a', 'for a test')
    await make({ provider: 'a' }, { health: unwell })
    const choose = unwell.choose.bind(unwell)
    unwell.choose = async request => {
      const choice = await choose(request)
      return choice.permit ? choice : { ...choice, availableAt: time.now() }
    }
    const startedAt = time.now()
    const id = await submitted()
    await time.advance(1)
    expect(await now(id)).toMatchObject({ state: 'scheduled', dueAt: startedAt + SECOND })
  })

  it('still resumes its session when one does', async () => {
    const unwell = health()
    const cut = { ...fails, effect: 'maybe', sessionId: 's1' } as const
    const script = [{ fails: cut }]
    await make({ provider: 'a', resumable: true, policy: () => resume, script }, { health: unwell })
    const id = await submitted()
    await time.advance(SECOND)
    await unwell.pause('a', 'for a test')
    await time.advance(10 * SECOND)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 1, mode: 'resume' })
    await unwell.resume('a')
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries.map(({ resumed }) => resumed)).toEqual([undefined, 's1'])
  })

  it('is not tried, uses nothing up, and returns after a second at the soonest', async () => {
    const unwell = health()
    await unwell.pause('a', 'for a test')
    await make({ provider: 'a' }, { health: unwell })
    const id = await submitted()
    await time.advance(1)
    const operation = await now(id)
    expect(operation).toMatchObject({
      state: 'scheduled',
      attempts: 0,
      retries: 0,
      snoozes: 0,
      mode: 'again',
    })
    expect('dueAt' in operation && operation.dueAt).toBeGreaterThanOrEqual(time.now() - 1 + SECOND)
    expect(operation.reason).toContain('not tried: ')
    await unwell.resume('a')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('is due when its provider is', async () => {
    const unwell = health()
    const resetAt = time.now() + 10 * MINUTE
    const limited = { kind: 'usage_limit', effect: 'none', resetAt } as const
    await make({ provider: 'a', script: [{ fails: limited }] }, { health: unwell })
    await submitted()
    await time.advance(SECOND)
    const { id } = await queue.submit('work', {})
    await time.advance(SECOND)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 0, dueAt: resetAt })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('ends with the failure of the provider that was tried in this run, counted as usual', async () => {
    const unwell = health()
    const policy = (_failure: unknown, circumstances: { otherProviderAvailable: boolean }): Verdict =>
      circumstances.otherProviderAvailable ? { action: 'failover', ...words } : again
    await make({ pool: ['a', 'b'], policy, script: [{ fails }] }, { health: unwell })
    // Healthy when asked who else could serve, and refused when chosen.
    const choose = unwell.choose.bind(unwell)
    unwell.choose = async request => {
      if (request.tried.has('a')) await unwell.pause('b', 'for a test')
      return choose(request)
    }
    const id = await submitted()
    await time.advance(SECOND)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 1, retries: 1 })
    expect(providers()).toEqual(['a'])
  })

  it("is tried by its caller's process once a provider admits it, if that is soon", async () => {
    const unwell = health()
    await make({ provider: 'a' }, { health: unwell })
    const choose = unwell.choose.bind(unwell)
    const startedAt = time.now()
    unwell.choose = async request => {
      if (time.now() >= startedAt + 3 * SECOND) return choose(request)
      const failure = failureOfKind({ kind: 'rate_limit', retryAfterMs: 3 * SECOND, provider: 'a' })
      return { failure, availableAt: startedAt + 3 * SECOND } as Choice
    }
    expect(await time.until(queue.run('work', {}))).toMatchObject({ value: 'ok' })
    expect(time.now()).toBe(startedAt + 3 * SECOND)
    expect(await now('op_1')).toMatchObject({ run: 1, attempts: 1, retries: 0 })
  })

  it('ends if a policy insists on another provider and none is left', async () => {
    const unwell = health()
    const policy = (): Verdict => ({ action: 'failover', ...words })
    await make({ pool: ['a', 'b'], policy, script: [{ fails }] }, { health: unwell })
    const choose = unwell.choose.bind(unwell)
    unwell.choose = async request => {
      if (request.tried.has('a')) await unwell.pause('b', 'for a test')
      return choose(request)
    }
    const operation = await ended(await submitted())
    expect(operation).toMatchObject({ state: 'dead', deadAs: 'exhausted', attempts: 1 })
    expect(operation.reason).toContain('no other provider is available')
  })

  it('is due when the verdict on its refusal says, if the gate does not know when', async () => {
    const until = time.now() + 7 * MINUTE
    const snooze: Verdict = { action: 'snooze', until, mode: 'again', ...words }
    await make({ provider: 'a', policy: () => snooze }, { health: refusing('rate_limit') })
    const id = await submitted()
    await time.advance(100)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 0, snoozes: 0, dueAt: until })
  })

  it('returns after a second if the verdict names no time either', async () => {
    const startedAt = time.now()
    await make({ provider: 'a', policy: () => again }, { health: refusing('rate_limit') })
    const id = await submitted()
    await time.advance(100)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 0, dueAt: startedAt + SECOND })
  })

  it.each([
    [{ action: 'park', for: 'login', mode: 'again', ...words } as Verdict, { state: 'parked' }],
    [{ action: 'cancel', as: 'refused', ...words } as Verdict, { state: 'dead', deadAs: 'refused' }],
  ])('ends if a policy says so about its refusal: %j', async (verdict, expected) => {
    await make({ provider: 'a', policy: () => verdict }, { health: refusing('auth') })
    const id = await submitted()
    await time.advance(100)
    expect(await now(id)).toMatchObject({ ...expected, attempts: 0, reason: 'r' })
  })
})

describe('what a policy learns', () => {
  const seen: Circumstances[] = []
  const policy = (_failure: unknown, circumstances: Circumstances): Verdict => {
    seen.push(circumstances)
    return { action: 'cancel', as: 'refused', ...words }
  }

  it('about a refusal is that nothing is used up, and when a provider admits it, if known', async () => {
    seen.length = 0
    const availableAt = time.now() + MINUTE
    const unwell = refusing('rate_limit')
    const unbound = { retries: 0, maxRetries: Infinity, snoozes: 0, remainingMs: Infinity }
    await make({ provider: 'a', policy }, { health: unwell })
    await ended(await submitted())
    expect(seen).toMatchObject([{ ...unbound, otherProviderAvailable: false }])
    expect(seen[0]).not.toHaveProperty('availableAt')
    const choose = unwell.choose.bind(unwell)
    unwell.choose = async request => ({ ...(await choose(request)), availableAt }) as Choice
    await ended((await queue.submit('work', {})).id)
    expect(seen[1]).toMatchObject({ ...unbound, otherProviderAvailable: false, availableAt })
  })

  it('about work without a provider is that no other one is available', async () => {
    seen.length = 0
    await make({ policy, script: [{ fails }] })
    await ended(await submitted())
    expect(seen).toMatchObject([{ otherProviderAvailable: false }])
  })
})

describe('the provider that could continue a session', () => {
  const cut = failureOfKind({ kind: 'overloaded', effect: 'maybe', sessionId: 's1' })

  /** The provider that the outlook asks for after a failure that names none. */
  async function askedFor(served: { provider: string } | { pool: string[] }, resumable: boolean) {
    const asking = health()
    const outlook = asking.outlook.bind(asking)
    const asked: (string | undefined)[] = []
    asking.outlook = request => {
      asked.push(request.again)
      return outlook(request)
    }
    const session = defineCapability({
      name: 'session',
      params: z.object({}),
      retry: 'replay',
      resumable,
      ...served,
      run: (_params, { attempt }) => {
        if (attempt > 1) return 'ok'
        throw new KnownFailure(cut)
      },
    })
    await make({}, { health: asking, with: [session] })
    const { id } = await queue.submit('session', {})
    await queue.runner().start()
    await ended(id)
    return asked[0]
  }

  it('is the only provider of the work, although the failure does not name it', async () => {
    expect(await askedFor({ provider: 'a' }, true)).toBe('a')
  })

  it('is the one that was tried if the failure names none', async () => {
    expect(await askedFor({ pool: ['a', 'b'] }, true)).toBe('a')
  })

  it('does not matter if no session is continued', async () => {
    expect(await askedFor({ provider: 'a' }, false)).toBeUndefined()
  })
})

describe('a policy that throws about an operation', () => {
  it('is reported, and the rules decide', async () => {
    const problems: unknown[] = []
    const policy = () => {
      throw new Error('oops')
    }
    const given = { provider: 'a', policy, script: [{ fails }] }
    await make(given, { onProblem: problem => problems.push(problem) })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(problems).toMatchObject([{ about: 'policy', problem: expect.anything() }])
  })
})
