import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { LedgerError } from '../ledger/error.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import { type CronRecord, readCronRecord, writeCronRecord } from './cron-record.ts'
import type { CronSchedule } from './cron-schedule.ts'
import { scheduleStatuses } from './cron-status.ts'
import type { OpenedQueue } from './open.ts'
import { Queue } from './queue.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 0, 1)
const hourly: CronSchedule = { name: 'hourly', cron: '0 * * * *', capability: 'tick', params: {} }
/** A time on the day of all these tests. */
const at = (clock: string) => `2026-01-01T${clock}:00.000Z`

let time: FakeTime
let queue: OpenedQueue
let others: OpenedQueue[]

beforeEach(async () => {
  time = new FakeTime(START)
  others = []
  ;({ queue } = await testQueue({ time }))
})
afterEach(async () => {
  for (const other of others) await stop(other)
  await closeChecked(queue)
})

/** Another process on the same ledger. */
const processWith = async (parts: Parameters<typeof testQueue>[0] = {}) => {
  const tick = scriptedCapability({ name: 'tick' })
  const made = await testQueue({
    capabilities: [tick.capability],
    time,
    ledger: queue.ledger,
    runnerId: `r${others.length}`,
    ...parts,
  })
  others.push(made.queue)
  return { ...made, tick }
}
/** Everything except the ledger, which belongs to the test. */
const stop = async (other: OpenedQueue) => {
  others = others.filter(one => one !== other)
  await Queue.prototype.close.call(other)
  await other.engine.close()
}
const until = (clock: string) => time.advance(Date.parse(at(clock)) - time.now())
const submitted = async () =>
  (await queue.ledger.list({ capability: 'tick' })).items
    .map(({ context }) => (context as { at: string }).at)
    .reverse()
const recorded = (clock: string, did: CronRecord['did']): CronRecord => ({ at: Date.parse(at(clock)), did })
const skipped = async () =>
  (await queue.ledger.events({ types: ['time_skipped'] })).map(({ data }) => [data?.at, data?.reason])

describe('a schedule', () => {
  it('submits at its times, once, however many runners there are', async () => {
    const [one, two] = [await processWith(), await processWith()]
    await one.queue.runner({ cron: [hourly] }).start()
    await two.queue.runner({ cron: [hourly] }).start()
    await time.advance(3 * HOUR + MINUTE)
    expect(await submitted()).toEqual([at('01:00'), at('02:00'), at('03:00')])
    expect(one.tick.script.tries.length + two.tick.script.tries.length).toBe(3)
  })

  it.each([
    ['skip', [at('01:00'), at('06:00')]],
    ['once', [at('01:00'), at('05:00'), at('06:00')]],
  ] as const)('whose times were missed does what it is set to: %s', async (missed, expected) => {
    const first = await processWith()
    await first.queue.runner({ cron: [{ ...hourly, missed }] }).start()
    await until('01:01')
    await stop(first.queue)
    await until('05:30')
    const second = await processWith()
    await second.queue.runner({ cron: [{ ...hourly, missed }] }).start()
    await until('06:01')
    expect(await submitted()).toEqual(expected)
    expect(await skipped()).toEqual(
      missed === 'skip' ? [[at('05:00'), 'no daemon was running to submit it']] : [],
    )
  })

  it('does not miss a time that comes while one process replaces another', async () => {
    const first = await processWith()
    await first.queue.runner({ cron: [hourly] }).start()
    await until('00:59')
    await stop(first.queue)
    await time.advance(MINUTE + 20_000)
    const second = await processWith()
    await second.queue.runner({ cron: [hourly] }).start()
    expect(await submitted()).toEqual([at('01:00')])
    expect(await skipped()).toEqual([])
  })

  it('has missed nothing that passed before it was new', async () => {
    const cron = { ...hourly, missed: 'once' as const }
    await time.advance(30 * MINUTE)
    const first = await processWith()
    await first.queue.runner({ cron: [cron] }).start()
    await stop(first.queue)
    const second = await processWith()
    await second.queue.runner({ cron: [cron] }).start()
    expect(await submitted()).toEqual([])
  })

  it('does not wait for the next time of another schedule, and submits with its own priority', async () => {
    const often: CronSchedule = { ...hourly, name: 'often', cron: '*/10 * * * * *', priority: 3 }
    const { queue: other } = await processWith()
    await other.runner({ cron: [hourly, often] }).start()
    await time.advance(11_000)
    const { items } = await queue.ledger.list({ capability: 'tick' })
    expect(items.map(({ priority, context }) => [priority, context])).toEqual([
      [3, { cron: 'often', at: at('00:00').replace('00.000Z', '10.000Z') }],
    ])
  })

  it('submits nothing once it is stopped', async () => {
    const { queue: other } = await processWith()
    const runner = other.runner({ cron: [hourly] })
    await runner.start()
    await runner.stop()
    await time.advance(2 * HOUR)
    expect(await submitted()).toEqual([])
  })

  it.each<[string, CronRecord, string[], CronRecord['did']]>([
    ['a time that another process dealt with', recorded('01:00', 'refused'), [], 'refused'],
    ['a time that another process missed', recorded('01:00', 'missed'), [at('01:00')], 'submitted'],
    ['later times', recorded('02:00', 'overlapped'), [at('01:00')], 'overlapped'],
  ])('believes what the ledger says about %s', async (_what, record, expected, did) => {
    const { queue: other } = await processWith()
    await other.runner({ cron: [hourly] }).start()
    await writeCronRecord(queue.ledger, 'hourly', record)
    await until('01:01')
    expect(await submitted()).toEqual(expected)
    expect(await readCronRecord(queue.ledger, 'hourly')).toMatchObject({ at: record.at, did })
  })

  it('remembers what a process submitted that was killed before it could', async () => {
    const first = await processWith()
    await first.queue.runner({ cron: [hourly] }).start()
    await until('01:00')
    await stop(first.queue)
    await writeCronRecord(queue.ledger, 'hourly', recorded('00:00', 'begun'))
    const second = await processWith()
    await second.queue.runner({ cron: [hourly] }).start()
    const { items } = await queue.ledger.list({ capability: 'tick' })
    expect(items).toHaveLength(1)
    expect(await readCronRecord(queue.ledger, 'hourly')).toEqual({
      ...recorded('01:00', 'submitted'),
      operation: items[0]?.id,
    })
  })

  it.each([
    [
      'skip',
      [
        [
          at('00:00').replace('00.000Z', '10.000Z'),
          expect.stringContaining(`any other time before ${at('00:01')}`),
        ],
      ],
    ],
    ['once', []],
  ] as const)('submits the last of several times within a minute, with missed = %s', async (missed, told) => {
    const often: CronSchedule = { ...hourly, cron: '*/10 * * * * *', missed }
    const first = await processWith()
    await first.queue.runner({ cron: [often] }).start()
    await time.advance(5_000)
    await stop(first.queue)
    await time.advance(58_000)
    const second = await processWith()
    await second.queue.runner({ cron: [often] }).start()
    expect(await submitted()).toEqual([at('00:01')])
    expect(await skipped()).toEqual(told)
  })

  it('submits the last time that passed while the machine slept, and every time of the last hour', async () => {
    const { queue: other } = await processWith()
    const quarterly = { ...hourly, name: 'quarterly', cron: '*/15 * * * *' }
    await other.runner({ cron: [{ ...hourly, cron: '0 3 * * *' }, quarterly] }).start()
    time.jump(9 * HOUR)
    await time.advance(2 * MINUTE)
    expect((await submitted()).sort()).toEqual(
      ['03:00', '08:15', '08:30', '08:45', '09:00'].map(clock => at(clock)),
    )
    expect(await skipped()).toEqual([
      [at('00:15'), expect.stringContaining(`any other time before ${at('08:15')} passed over an hour ago`)],
    ])
  })

  it('submits late, rather than never, if the ledger could not be written in time', async () => {
    const engine = new EmbeddedEngine({ ledger: queue.ledger as never })
    let broken = true
    const failing = new Proxy(engine, {
      get: (target, name) => {
        if (name === 'schedule' && broken)
          return () => Promise.reject(new LedgerError('locked', 'another process holds the ledger'))
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const problems: unknown[] = []
    const { queue: other } = await processWith({
      engine: failing,
      onProblem: problem => problems.push(problem),
    })
    await other.runner({ cron: [hourly] }).start()
    await until('01:10')
    expect(await submitted()).toEqual([])
    expect(problems.length).toBeGreaterThan(5)
    broken = false
    await time.advance(2 * MINUTE)
    expect(await submitted()).toEqual([at('01:00')])
  })

  it('with overlap skip skips times at which its last operation has not ended', async () => {
    const { queue: other, tick } = await processWith()
    tick.script.add({ hangs: true })
    await other.runner({ cron: [{ ...hourly, overlap: 'skip' }] }).start()
    await until('03:01')
    expect(await submitted()).toEqual([at('01:00')])
    const [operation] = (await queue.ledger.list()).items
    // Reported once, however long it takes.
    expect(await skipped()).toEqual([
      [at('02:00'), `${operation?.id} has not ended; all times are skipped until it has`],
    ])
    expect(await scheduleStatuses(queue.ledger, [hourly], time.now())).toMatchObject([
      { last: { at: Date.parse(at('03:00')), did: 'overlapped', operation: operation?.id } },
    ])
    await other.cancel(operation?.id as string)
    await until('04:01')
    expect(await submitted()).toEqual([at('01:00'), at('04:00')])
  })

  it('makes up for nothing that passed while it was off', async () => {
    const cron = { ...hourly, missed: 'once' as const }
    const first = await processWith()
    await first.queue.runner({ cron: [cron] }).start()
    await until('01:01')
    await stop(first.queue)
    const off = await processWith()
    await off.queue.runner({ cron: [{ ...cron, enabled: false }] }).start()
    await until('04:01')
    await stop(off.queue)
    const again = await processWith()
    await again.queue.runner({ cron: [cron] }).start()
    await until('05:01')
    expect(await submitted()).toEqual([at('01:00'), at('05:00')])
    expect(await skipped()).toEqual([])
  })

  it.each([
    ['skip', [at('01:00'), at('05:00')], [[at('04:00'), 'it was paused']]],
    ['once', [at('01:00'), at('04:00'), at('05:00')], []],
  ] as const)(
    'lets its times pass while it is paused, and then does what is set for missed ones: %s',
    async (missed, expected, told) => {
      const cron = { ...hourly, missed }
      const first = await processWith()
      await first.queue.runner({ cron: [cron] }).start()
      await until('01:01')
      await queue.pause({ schedule: 'hourly' }, { by: 'jane', reason: 'audit' })
      await until('02:30')
      // It is still paused for a process that begins now, and nothing is missed yet.
      const second = await processWith()
      await second.queue.runner({ cron: [cron] }).start()
      await until('04:30')
      expect(await submitted()).toEqual([at('01:00')])
      expect(await skipped()).toEqual([])
      await queue.resume({ schedule: 'hourly' })
      await until('05:01')
      expect(await submitted()).toEqual(expected)
      expect(await skipped()).toEqual(told)
    },
  )

  it('that is paused says so, since when and by whom, until it is resumed', async () => {
    const status = async () => (await scheduleStatuses(queue.ledger, [hourly], time.now()))[0]
    await queue.pause({ schedule: 'hourly' }, { by: 'jane', reason: 'audit' })
    await time.advance(MINUTE)
    // The first one stays: others rely on who did it and why.
    await queue.pause({ schedule: 'hourly' }, { by: 'joe' })
    const paused = await status()
    expect(paused).toMatchObject({ enabled: true, paused: { at: START, by: 'jane', reason: 'audit' } })
    expect(paused).not.toHaveProperty('nextAt')
    await queue.resume({ schedule: 'hourly' })
    await queue.resume({ schedule: 'hourly' })
    expect(await status()).toMatchObject({ nextAt: START + HOUR })
    expect(await status()).not.toHaveProperty('paused')
    const told = await queue.ledger.events({ types: ['paused', 'resumed'] })
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ['paused', { schedule: 'hourly', by: 'jane', reason: 'audit' }],
      ['resumed', { schedule: 'hourly' }],
    ])
  })

  it('continues after a clock that was far ahead', async () => {
    const ahead = await processWith()
    time.jump(4 * 365 * 24 * HOUR)
    await ahead.queue.runner({ cron: [hourly] }).start()
    await time.advance(HOUR)
    await stop(ahead.queue)
    time.jump(-4 * 365 * 24 * HOUR)
    const { queue: other } = await processWith()
    await other.runner({ cron: [hourly] }).start()
    await until('03:01')
    expect((await submitted()).slice(1)).toEqual([at('02:00'), at('03:00')])
    expect(await readCronRecord(queue.ledger, 'hourly')).toMatchObject(recorded('03:00', 'submitted'))
  })

  it('continues at once when its clock is set back', async () => {
    const { queue: other } = await processWith()
    await other.runner({ cron: [hourly] }).start()
    time.jump(30 * 24 * HOUR)
    await time.advance(MINUTE)
    const before = (await submitted()).length
    time.jump(-30 * 24 * HOUR)
    await until('02:01')
    expect((await submitted()).slice(before)).toEqual([at('01:00'), at('02:00')])
    expect(await readCronRecord(queue.ledger, 'hourly')).toMatchObject(recorded('02:00', 'submitted'))
  })

  it('keeps its record after a clock that was a little ahead', async () => {
    const { queue: other } = await processWith()
    await writeCronRecord(queue.ledger, 'hourly', { at: START + 30_000, did: 'submitted' })
    await other.runner({ cron: [hourly] }).start()
    expect(await readCronRecord(queue.ledger, 'hourly')).toEqual({ at: START + 30_000, did: 'submitted' })
  })

  it('submits once even if two processes have different parameters for it', async () => {
    const problems: unknown[] = []
    const onProblem = (problem: unknown) => problems.push(problem)
    const [one, two] = [await processWith({ onProblem }), await processWith({ onProblem })]
    await one.queue.runner({ cron: [{ ...hourly, params: { n: 1 } }] }).start()
    await two.queue.runner({ cron: [{ ...hourly, params: { n: 2 } }] }).start()
    await time.advance(2 * HOUR + MINUTE)
    expect(await submitted()).toEqual([at('01:00'), at('02:00')])
    expect(problems).toEqual([])
  })

  it('reports once which time was skipped because its parameters are invalid', async () => {
    const strict = defineCapability({
      name: 'tick',
      params: z.object({ n: z.number() }),
      retry: 'replay',
      run: () => null,
    }) as Capability
    const { queue: other } = await processWith({ capabilities: [strict] })
    await other.runner({ cron: [hourly] }).start()
    await until('01:30')
    expect(await skipped()).toEqual([
      [at('01:00'), expect.stringContaining('the parameters are invalid for capability "tick"')],
    ])
  })

  it('is refused, by name, with invalid times, an unknown capability or a duplicate name', async () => {
    const { queue: other } = await processWith()
    const refused = (...cron: CronSchedule[]) => expect(() => other.runner({ cron }))
    refused({ ...hourly, cron: 'sometimes' }).toThrow(
      'schedule "hourly": invalid cron expression "sometimes" in "UTC": it needs five or six fields',
    )
    refused({ ...hourly, timeZone: 'Mars/Olympus' }).toThrow('unknown time zone')
    refused({ ...hourly, capability: 'tock' }).toThrow(
      'schedule "hourly": there is no capability "tock" here; known: tick',
    )
    refused(hourly, hourly).toThrow('two schedules are named "hourly"')
  })
})

describe('the status of a schedule', () => {
  it('says when it comes next and what it did last, without a ledger too', async () => {
    const off = { ...hourly, name: 'off', enabled: false }
    const [fresh] = await scheduleStatuses(undefined, [hourly], time.now())
    expect(fresh).toEqual({
      name: 'hourly',
      capability: 'tick',
      cron: '0 * * * *',
      timeZone: 'UTC',
      enabled: true,
      nextAt: START + HOUR,
    })
    const { queue: other } = await processWith()
    await other.runner({ cron: [hourly, off] }).start()
    await until('01:01')
    const [operation] = (await queue.ledger.list()).items
    expect(await scheduleStatuses(queue.ledger, [hourly, off], time.now())).toMatchObject([
      { nextAt: START + 2 * HOUR, last: { at: START + HOUR, did: 'submitted', operation: operation?.id } },
      { name: 'off', enabled: false, last: { did: 'off' } },
    ])
  })
})
