import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import type { Failure } from '../failure/failure.ts'
import type { EventType } from '../ledger/event.ts'
import type { Parking } from '../ledger/parking.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { OpenedQueue } from './open.ts'
import { type QueueProblem, queueDepsOf } from './queue-deps.ts'
import { Unparker } from './unparker.ts'

const MINUTE = 60_000
/** Name of the cursor that all runners share. */
const CONSUMER = 'queue.parked'

/** Seals nothing: no key is ever made. */
const secrets = new Secrets({ folder: join(tmpdir(), 'mulligan-test-without-files'), env: {} })

let time: FakeTime
let queue: OpenedQueue
let health: Health
let unparker: Unparker
let problems: QueueProblem[]
/** What the runner has: without it, `send` cannot run here. */
let env: Record<string, string>

const params = z.object({ n: z.number().default(0) })
const send = defineCapability({
  name: 'send',
  params: z.object({ token: z.string().default('env:TOKEN') }),
  secrets: ['token'],
  retry: 'replay',
  run: () => 'sent',
}) as Capability
const work = defineCapability({ name: 'work', params, retry: 'replay', run: () => 'done' }) as Capability

/** Another unparker on the same ledger, as another process would have it. */
const makeUnparker = () => {
  const { ledger, engine, registry } = queue
  const parts = { ledger, engine, registry, secrets, health, time, env }
  return new Unparker(queueDepsOf({ ...parts, onProblem: problem => problems.push(problem) }, () => 'id'))
}

beforeEach(async () => {
  time = new FakeTime()
  env = {}
  problems = []
  health = new Health({ providers: [{ id: 'a' }, { id: 'b' }], time, random: () => 0 })
  ;({ queue } = await testQueue({ time, capabilities: [send, work], health }))
  unparker = makeUnparker()
})
afterEach(async () => {
  await unparker.close()
  await closeChecked(queue)
  expect(problems).toEqual([])
})

/** A parked operation. */
async function parked(
  why: Omit<Parking, 'reason'>,
  submission: { capability?: string; params?: unknown; providers?: readonly string[] } = {},
): Promise<string> {
  const [inserted] = await queue.engine.schedule([{ capability: 'work', params: {}, ...submission }])
  const { id } = inserted as { id: string }
  await queue.engine.park([id], { ...why, reason: 'for a test' })
  return id
}
const park = async (id: string, why: Omit<Parking, 'reason'>) =>
  expect(await queue.engine.park([id], { ...why, reason: 'again' })).toEqual([true])
const stateOf = async (id: string) => (await queue.ledger.get(id))?.state
const lastOf = async (id: string) => (await queue.ledger.timeline(id)).at(-1)
const tell = (type: EventType, data: Record<string, unknown>) =>
  queue.ledger.transaction(writes => writes.tell(type, data))

/** Refuses the login of a provider; its block ends in a minute. */
async function refuseLogin(provider: string): Promise<void> {
  const failure: Failure = {
    class: 'permanent',
    kind: 'auth',
    effect: 'none',
    provider,
    message: 'invalid key',
    evidence: { rule: 'r', where: 'w', excerpt: '', lost: [] },
    fingerprint: 'fp1:1',
  }
  const permit = await health.madeElsewhere(provider)
  permit.failed(failure, { breaker: 'none', blockUntil: time.now() + MINUTE })
}
async function serve(provider: string): Promise<void> {
  const permit = await health.madeElsewhere(provider)
  permit.succeeded()
}

describe('an operation parked because this runner lacked something', () => {
  const lacking = { capability: 'send', params: { token: 'env:TOKEN' } }

  it('continues when the secret is available, and stays until then', async () => {
    const id = await parked({ for: 'secret', origin: 'runner' }, lacking)
    await unparker.sweep()
    expect(await stateOf(id)).toBe('parked')
    env.TOKEN = 'hunter2-hunter2'
    await unparker.sweep()
    expect(await stateOf(id)).toBe('scheduled')
    expect(await lastOf(id)).toMatchObject({ type: 'unparked', data: { by: 'runner', was: 'secret' } })
  })

  it('continues when its parameters are valid', async () => {
    const id = await parked({ for: 'parameters', origin: 'runner' })
    const wrong = await parked({ for: 'parameters', origin: 'runner' }, { params: { n: 'x' } })
    await unparker.sweep()
    expect(await stateOf(id)).toBe('scheduled')
    expect(await stateOf(wrong)).toBe('parked')
  })

  it('continues as soon as its event is read, if another runner parked it', async () => {
    const id = await parked({ for: 'secret', origin: 'runner' })
    unparker.soon()
    await time.advance(199)
    expect(await stateOf(id)).toBe('parked')
    await time.advance(1)
    await unparker.look()
    expect(await stateOf(id)).toBe('scheduled')
  })

  it('is left alone if it was parked again for something else since its event', async () => {
    const id = await parked({ for: 'secret', origin: 'runner' })
    await queue.engine.unpark([id], { by: 'caller', reason: 'r' })
    await park(id, { for: 'label' })
    await unparker.look()
    await unparker.sweep()
    expect(await stateOf(id)).toBe('parked')
  })

  it('continues by the origin of its last park, whatever parked it before', async () => {
    const id = await parked({ for: 'secret', origin: 'decision' })
    await queue.engine.unpark([id], { by: 'caller', reason: 'r' })
    await park(id, { for: 'secret', origin: 'runner' })
    await unparker.sweep()
    expect(await stateOf(id)).toBe('scheduled')
  })

  it('continues with all the others, however many there are', async () => {
    const ids = await queue.engine.schedule(
      Array.from({ length: 450 }, () => ({ capability: 'work', params: {} })),
    )
    const names = ids.map(({ id }) => id)
    await queue.engine.park(names, { for: 'secret', origin: 'runner', reason: 'r' })
    await unparker.sweep()
    expect((await queue.ledger.counts({ state: ['parked'] })).total).toBe(0)
  })
})

describe('an operation parked by a policy or hook', () => {
  it.each(['secret', 'parameters', 'login', 'payment'] as const)(
    'for %s waits for a person',
    async parkedFor => {
      const id = await parked({ for: parkedFor, origin: 'decision' }, { providers: ['a'] })
      const plain = await parked({ for: parkedFor }, { providers: ['a'] })
      await tell('provider_freed', { provider: 'a' })
      await unparker.look()
      await unparker.sweep()
      await unparker.loggedIn()
      expect([await stateOf(id), await stateOf(plain)]).toEqual(['parked', 'parked'])
    },
  )
})

describe('a provider that is free again', () => {
  it('moves operations that wait for a payment to it, and none of others', async () => {
    const id = await parked({ for: 'payment', origin: 'provider' }, { providers: ['a'] })
    const other = await parked({ for: 'payment', origin: 'provider' }, { providers: ['b'] })
    await tell('provider_freed', { provider: 'a' })
    await unparker.look()
    expect([await stateOf(id), await stateOf(other)]).toEqual(['scheduled', 'parked'])
    expect(await lastOf(id)).toMatchObject({ data: { by: 'provider', was: 'payment' } })
  })

  it('moves operations that wait for a login only if the login is not refused', async () => {
    const id = await parked({ for: 'login', origin: 'provider' }, { providers: ['a'] })
    await refuseLogin('a')
    await tell('provider_freed', { provider: 'a' })
    await unparker.look()
    expect(await stateOf(id)).toBe('parked')
    await serve('a')
    await tell('provider_freed', { provider: 'a' })
    await unparker.look()
    expect(await stateOf(id)).toBe('scheduled')
  })

  it('is handled once by all runners together', async () => {
    await tell('provider_freed', { provider: 'a' })
    await unparker.look()
    expect(await queue.ledger.cursor(CONSUMER)).toBe(await queue.ledger.lastEvent())
    const id = await parked({ for: 'payment', origin: 'provider' }, { providers: ['a'] })
    const other = makeUnparker()
    await other.look()
    await other.close()
    expect(await stateOf(id)).toBe('parked')
  })

  it('is noticed behind more events than are read at once', async () => {
    const id = await parked({ for: 'payment', origin: 'provider' }, { providers: ['b'] })
    for (let freed = 0; freed < 600; freed++) await tell('provider_freed', { provider: 'a' })
    await tell('provider_freed', { provider: 'b' })
    await unparker.look()
    expect(await stateOf(id)).toBe('scheduled')
  })
})

describe('a login that works again', () => {
  it('moves operations that one of its providers can serve now, and none while all are refused', async () => {
    await refuseLogin('a')
    const id = await parked({ for: 'login', origin: 'provider' }, { providers: ['a'] })
    const pooled = await parked({ for: 'login', origin: 'provider' }, { providers: ['a', 'b'] })
    await unparker.loggedIn()
    expect([await stateOf(id), await stateOf(pooled)]).toEqual(['parked', 'scheduled'])
    // Its block is over, but the login has not been seen to work.
    await time.advance(2 * MINUTE)
    await unparker.sweep()
    expect(await stateOf(id)).toBe('parked')
    await serve('a')
    await unparker.sweep()
    expect(await stateOf(id)).toBe('scheduled')
  })

  it('moves an operation three times at most, and again once a person has asked', async () => {
    const why = { for: 'login', origin: 'provider' } as const
    const id = await parked(why, { providers: ['a'] })
    for (const expected of ['scheduled', 'scheduled', 'scheduled', 'parked']) {
      await unparker.loggedIn()
      expect(await stateOf(id)).toBe(expected)
      if (expected === 'scheduled') await park(id, why)
    }
    await queue.retry(id)
    await park(id, why)
    await unparker.loggedIn()
    expect(await stateOf(id)).toBe('scheduled')
  })

  it('does not count moves by others', async () => {
    const why = { for: 'login', origin: 'provider' } as const
    const id = await parked(why, { providers: ['a'] })
    for (let moves = 0; moves < 5; moves++) {
      await queue.engine.unpark([id], { by: 'edit', reason: 'provider a can be used again' })
      await park(id, why)
    }
    await unparker.loggedIn()
    expect(await stateOf(id)).toBe('scheduled')
  })
})

describe('an unparker that was closed', () => {
  it('moves nothing more, and later reads what it has not read', async () => {
    const id = await parked({ for: 'payment', origin: 'provider' }, { providers: ['a'] })
    const waits = await parked({ for: 'login', origin: 'provider' }, { providers: ['b'] })
    await tell('provider_freed', { provider: 'a' })
    unparker.soon()
    await unparker.close()
    unparker.soon()
    expect(time.nextIn).toBeUndefined()
    await time.advance(MINUTE)
    await unparker.look()
    await unparker.loggedIn()
    expect([await stateOf(id), await stateOf(waits)]).toEqual(['parked', 'parked'])
    const next = makeUnparker()
    await next.look()
    expect(await stateOf(id)).toBe('scheduled')
    await next.close()
  })
})

describe('a ledger that cannot be read', () => {
  it('is reported, and the unparker continues', async () => {
    const broken = { ...queue.ledger, cursor: () => Promise.reject(new Error('disk')) }
    const parts = {
      engine: queue.engine,
      registry: queue.registry,
      secrets,
      health,
      time,
      env,
    }
    const reported: QueueProblem[] = []
    const other = new Unparker(
      queueDepsOf(
        { ...parts, ledger: broken as never, onProblem: problem => reported.push(problem) },
        () => 'id',
      ),
    )
    await other.look()
    await other.sweep()
    await other.loggedIn()
    await other.close()
    expect(reported).toHaveLength(3)
    expect(reported[0]).toMatchObject({ about: 'queue', error: { message: 'disk' } })
  })
})

it('operations that wait for money take turns to find out whether it is there', async () => {
  const ran: number[] = []
  const paid = defineCapability({
    ...{ name: 'paid', params, retry: 'replay', provider: 'p' },
    run: ({ n }: { n: number }) => {
      ran.push(n)
      throw Object.assign(new Error('Your credit balance is too low'), { status: 400 })
    },
  } as never) as Capability
  const { queue: own } = await testQueue({ time, capabilities: [paid] })
  await own.submitMany([1, 2].map(n => ({ capability: 'paid', params: { n } })))
  await own.runner({ concurrency: 2 }).start()
  await time.advance(MINUTE)
  expect((await own.ledger.counts({ parkedFor: 'payment' })).total).toBe(2)
  // One an hour later, the next two hours after that.
  await time.advance(62 * MINUTE)
  await time.advance(122 * MINUTE)
  expect(ran.slice(0, 2).sort()).toEqual([1, 2])
  expect(ran.slice(2).sort()).toEqual([1, 2])
  await closeChecked(own)
})
