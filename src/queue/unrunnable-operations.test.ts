import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import type { EventType } from '../ledger/event.ts'
import type { Operation, RunningOperation } from '../ledger/operation.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { ParkOrigin } from '../verdict/verdict.ts'
import type { OpenedQueue } from './open.ts'
import { Queue } from './queue.ts'
import { type QueueDeps, type QueueProblem, queueDepsOf } from './queue-deps.ts'
import type { RunEnd } from './run/run-end.ts'
import { UnrunnableOperations } from './unrunnable-operations.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let time: FakeTime
/** Submits and waits. */
let queue: OpenedQueue
let others: OpenedQueue[]
/** The runners that did the work, one entry per try. */
let worked: string[]
let failures: number
/** Contains the key that everything is sealed with. */
let key: Secrets

beforeEach(async () => {
  time = new FakeTime()
  others = []
  worked = []
  failures = 0
  key = new Secrets({ folder: mkdtempSync(join(tmpdir(), 'mulligan-key-')), env: {} })
  ;({ queue } = await testQueue({ time, capabilities: [sendBy('nobody')], secrets: key }))
})
afterEach(async () => {
  for (const other of others) {
    await time.until(Queue.prototype.close.call(other))
    await other.engine.close()
  }
  await closeChecked(queue)
})

const sendBy = (name: string) =>
  defineCapability({
    name: 'send',
    params: z.object({ token: z.string(), n: z.number().default(0) }),
    secrets: ['token'],
    retry: 'replay',
    run: () => {
      worked.push(name)
      if (failures-- > 0) throw Object.assign(new Error('reset'), { code: 'ECONNREFUSED' })
      return name
    },
  }) as Capability

/** A runner of another process, with the key or with one of its own. */
const runnerOf = async (name: string, secrets?: Secrets, concurrency = 4) => {
  const { queue: other } = await testQueue({
    capabilities: [sendBy(name)],
    time,
    ledger: queue.ledger,
    runnerId: name,
    ...(secrets ? { secrets } : {}),
  })
  others.push(other)
  const runner = other.runner({ concurrency })
  await runner.start()
  return { queue: other, runner }
}
const submit = async () => (await queue.submit('send', { token: 'hunter2-hunter2' })).id
const typesOf = async (id: string): Promise<EventType[]> =>
  (await queue.ledger.timeline(id)).map(({ type }) => type)

describe('a runner without the key', () => {
  it('parks an operation once, and leaves it to the runner with the key, retries included', async () => {
    await runnerOf('without')
    await time.advance(1_000)
    const id = await submit()
    await time.advance(1_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'secret' })
    failures = 3
    await runnerOf('with', key)
    const ended = await time.until(queue.wait(id))
    expect(ended).toMatchObject({ state: 'succeeded', retries: 3 })
    expect(worked).toEqual(['with', 'with', 'with', 'with'])
    const types = await typesOf(id)
    expect(types.filter(type => type === 'parked')).toHaveLength(1)
    expect(types.filter(type => type === 'unparked')).toHaveLength(1)
    expect(types.filter(type => type === 'claimed')).toHaveLength(5)
  })

  it('takes each of many operations at most once', async () => {
    await runnerOf('without')
    await runnerOf('with', key)
    const ids = await Promise.all(Array.from({ length: 40 }, submit))
    for (const id of ids) await time.until(queue.wait(id))
    expect(worked).toHaveLength(40)
    for (const id of ids) {
      const types = await typesOf(id)
      expect(types.filter(type => type === 'parked').length).toBeLessThanOrEqual(1)
    }
  })

  it('delays no other runner: what it parks continues as soon as one with the key reads the event', async () => {
    await runnerOf('with', key, 0)
    await runnerOf('without')
    const id = await submit()
    await time.advance(2_000)
    const timeline = await queue.ledger.timeline(id)
    expect(timeline.map(({ type }) => type)).toEqual(['submitted', 'claimed', 'parked', 'unparked'])
    expect(timeline.at(-1)?.data).toMatchObject({ by: 'runner', was: 'secret' })
  })

  it('still takes operations behind those that it leaves alone', async () => {
    await runnerOf('with', key, 0)
    const without = await runnerOf('without', undefined, 1)
    const left = [await submit(), await submit(), await submit()]
    await time.advance(5_000)
    await queue.engine.unpark(left, { by: 'caller', reason: 'for a test' })
    const own = await without.queue.submit('send', { token: 'hunter3-hunter3' })
    expect(await time.until(queue.wait(own.id))).toMatchObject({ state: 'succeeded' })
    expect(worked).toEqual(['without'])
  })

  it('parks it again, with the reason, if no other runner took it for an hour', async () => {
    await runnerOf('with', key, 0)
    await runnerOf('without')
    const id = await submit()
    await time.advance(1_000)
    await time.advance(HOUR - 5_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled' })
    await time.advance(MINUTE)
    expect((await typesOf(id)).filter(type => type === 'parked')).toHaveLength(2)
  })

  it('takes it at once if it is the only runner, so that a person who retries learns why it cannot run', async () => {
    await runnerOf('without')
    const id = await submit()
    await time.advance(1_000)
    await queue.retry(id)
    await time.advance(1_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'secret', run: 2 })
  })
})

describe('the list of operations left to other runners', () => {
  const problems: QueueProblem[] = []
  const deps = (): QueueDeps => {
    const { ledger, engine, registry } = queue
    const secrets = new Secrets({ folder: join(tmpdir(), 'mulligan-test-without-files'), env: {} })
    const onProblem = (problem: QueueProblem) => problems.push(problem)
    return queueDepsOf(
      { ledger, engine, registry, secrets, time, env, runnerId: 'me', onProblem },
      () => 'id',
    )
  }
  const env: Record<string, string> = {}
  const park = (origin?: ParkOrigin): RunEnd => ({
    end: 'settled',
    verdict: {
      action: 'park',
      for: 'secret',
      ...(origin ? { origin } : {}),
      reason: 'r',
      rule: 'capability:secret',
    },
    settled: { settled: true, event: 1, state: 'parked' },
  })
  const advertise = (id: string, ...capabilities: string[]) => queue.ledger.advertise({ id, capabilities })
  /** Submits an operation whose token is a variable that does not exist yet. */
  const lacking = async () => {
    const { id } = await queue.submit('send', { token: 'env:TOKEN' })
    return (await queue.ledger.get(id)) as Operation as RunningOperation
  }
  const idsOf = async (unrunnable: UnrunnableOperations) => [...(await unrunnable.ids())]

  beforeEach(() => {
    problems.length = 0
    delete env.TOKEN
  })

  it('has what this runner had to park, while another runner has the capability', async () => {
    const unrunnable = new UnrunnableOperations(deps())
    const operation = await lacking()
    unrunnable.ended({ operation }, park('runner'))
    expect(await idsOf(unrunnable)).toEqual([])
    await advertise('me', 'send')
    await advertise('other', 'mail')
    expect(await idsOf(unrunnable)).toEqual([])
    await advertise('another', 'mail', 'send')
    expect(await idsOf(unrunnable)).toEqual([operation.id])
    await queue.ledger.withdraw('another')
    expect(await idsOf(unrunnable)).toEqual([])
  })

  it('has nothing that a policy or hook parked, or that ended in another way', async () => {
    await advertise('other', 'send')
    const unrunnable = new UnrunnableOperations(deps())
    const operation = await lacking()
    const settled = { settled: true, event: 1, state: 'dead' } as const
    const ends: RunEnd[] = [
      park('decision'),
      park('provider'),
      park(),
      { end: 'succeeded', value: 1 },
      { end: 'lost' },
      { end: 'settled', verdict: { action: 'cancel', as: 'refused', reason: 'r', rule: 'r' }, settled },
    ]
    for (const end of ends) unrunnable.ended({ operation }, end)
    expect(await idsOf(unrunnable)).toEqual([])
  })

  it('loses what can run here again, and what has ended', async () => {
    await advertise('other', 'send')
    const unrunnable = new UnrunnableOperations(deps())
    const [first, second, third] = [await lacking(), await lacking(), await lacking()]
    for (const operation of [first, second, third]) unrunnable.ended({ operation }, park('runner'))
    await unrunnable.look()
    expect(await idsOf(unrunnable)).toEqual([first.id, second.id, third.id])
    await queue.cancel(first.id)
    await unrunnable.look()
    expect(await idsOf(unrunnable)).toEqual([second.id, third.id])
    await queue.cancel(second.id)
    await queue.discard(second.id)
    await unrunnable.look()
    expect(await idsOf(unrunnable)).toEqual([third.id])
    env.TOKEN = 'hunter2-hunter2'
    await unrunnable.look()
    expect(await idsOf(unrunnable)).toEqual([])
    expect(problems).toEqual([])
  })

  it('reads nothing while it is empty, and reports a ledger that cannot be read', async () => {
    const broken = {
      get: () => Promise.reject(new Error('disk')),
      runners: () => Promise.reject(new Error('asked')),
    }
    const unrunnable = new UnrunnableOperations({ ...deps(), ledger: broken as never })
    expect([...(await unrunnable.ids())]).toEqual([])
    unrunnable.ended({ operation: await lacking() }, park('runner'))
    await unrunnable.look()
    expect(problems).toMatchObject([{ about: 'queue', error: { message: 'disk' } }])
  })
})
