import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { SECRET_KEY_VARIABLE } from '../capability/secret/key.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import type { Time } from '../time/time.ts'
import { CronSubmitter } from './cron.ts'
import type { CronSchedule } from './cron-schedule.ts'
import { queueDepsOf } from './queue-deps.ts'
import { engineOn } from './stored-ledger.ts'

const START = Date.UTC(2026, 0, 1)
const KEY = Buffer.alloc(32).toString('base64')
const EVERY_2_S = '*/2 * * * * *'

/** How a timer fires: this much later than asked, after the wall clock jumped. */
interface Firing {
  lateMs: number
  jumpMs: number
}

/** One process: its clock stands still until the test fires its timer. */
class ProcessTime implements Time {
  #now: number
  #timer: { ms: number; callback: () => void } | undefined
  #armed = Promise.withResolvers<void>()
  readonly #problems: unknown[]
  seen: number
  stepMs = 0.25

  constructor(start: number, problems: unknown[]) {
    this.#now = start
    this.seen = start
    this.#problems = problems
  }

  /** How long the timer that is set will wait, in milliseconds. */
  get waitMs(): number | undefined {
    return this.#timer?.ms
  }

  /** The clock also goes on between two reads of it. */
  now(): number {
    this.#now += this.stepMs
    return Math.floor(this.#now)
  }

  monotonic(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): () => void {
    this.#timer = { ms, callback }
    this.#armed.resolve()
    return () => {
      this.#timer = undefined
    }
  }

  /** Fires the timer, and resolves when everything that it began has ended. */
  async fire({ lateMs, jumpMs }: Firing): Promise<void> {
    const timer = this.#timer
    if (!timer) throw new Error(`no timer is set: ${this.#problems}`)
    this.#armed = Promise.withResolvers()
    this.#now += Math.max(0, timer.ms + lateMs) + jumpMs
    this.seen = Math.max(this.seen, Math.floor(this.#now + this.stepMs))
    timer.callback()
    await this.#armed.promise
  }
}

/** Timers as Node and machines fire them: a moment early, in time, late, and after a clock that jumped either way. */
const firing: fc.Arbitrary<Firing> = fc.record({
  lateMs: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(-1, 0, 1) },
    { weight: 2, arbitrary: fc.integer({ min: 2, max: 9_000 }) },
  ),
  jumpMs: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -200_000, max: 100_000 }) },
  ),
})
const twoProcesses = fc.record({
  cron: fc.constantFrom(EVERY_2_S, '*/7 * * * * *', '* * * * *'),
  missed: fc.constantFrom('skip' as const, 'once' as const),
  apartMs: fc.integer({ min: -5_000, max: 5_000 }),
  firings: fc.array(fc.tuple(firing, firing), { minLength: 1, maxLength: 12 }),
})

type Opened = { ledger: Ledger; engine: Engine }

/** What submits a schedule's times in one process. */
function submitterOn(
  parts: Opened,
  time: Time,
  schedule: Pick<CronSchedule, 'name' | 'cron' | 'missed'>,
  problems: unknown[],
): CronSubmitter {
  const { name } = schedule
  const deps = queueDepsOf(
    {
      ...parts,
      time,
      registry: new CapabilityRegistry([scriptedCapability({ name }).capability]),
      secrets: new Secrets({ folder: tmpdir(), env: { [SECRET_KEY_VARIABLE]: KEY } }),
      onProblem: problem => problems.push(problem),
    },
    () => name,
  )
  return new CronSubmitter(deps, [{ ...schedule, capability: name }])
}

/** Runs two processes on one ledger, and returns the times submitted and the times that came. */
async function play(
  opened: readonly [Opened, Opened],
  { cron, missed, apartMs, firings }: typeof twoProcesses extends fc.Arbitrary<infer T> ? T : never,
  name: string,
) {
  const problems: unknown[] = []
  const processes = opened.map((parts, index) => {
    const time = new ProcessTime(START + (index === 0 ? 0 : apartMs), problems)
    const submitter = submitterOn(parts, time, { name, cron, missed }, problems)
    return { time, submitter, start: time.now() }
  })
  for (const { submitter } of processes) await submitter.start()
  for (const pair of firings)
    await Promise.all(processes.map(({ time }, index) => time.fire(pair[index as 0 | 1])))
  for (const { submitter } of processes) await submitter.stop()
  const { ledger } = opened[0]
  const submitted = (await ledger.list({ capability: name }, { limit: 1_000 })).items.map(({ context }) =>
    Date.parse((context as { at: string }).at),
  )
  const stepMs = { [EVERY_2_S]: 2_000, '*/7 * * * * *': 7_000, '* * * * *': 60_000 }[cron] as number
  const came = new Set<number>()
  for (const { start, time } of processes)
    for (let minute = Math.floor(start / 60_000) * 60_000; minute <= time.seen; minute += 60_000)
      for (let at = minute; at < minute + 60_000; at += stepMs)
        if (at > start && at <= time.seen) came.add(at)
  const never = [...came].filter(at => !submitted.includes(at))
  const twice = submitted.filter((at, index) => submitted.indexOf(at) !== index)
  return { never, twice, problems }
}

const suite = (title: string, runs: number, open: () => Promise<readonly [Opened, Opened]>) =>
  describe(title, () => {
    let opened: readonly [Opened, Opened]
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(async () => {
      for (const { engine } of opened) await engine.close()
      for (const ledger of new Set(opened.map(one => one.ledger))) await ledger.close()
    })

    it('two processes submit each time that comes while one of them lives exactly once, however timers fire', async () => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(twoProcesses, async scene => {
          const played = await play(opened, scene, `tick${count++}`)
          expect(played).toEqual({ never: [], twice: [], problems: [] })
        }),
        { numRuns: runs },
      )
    })
  })

suite('schedules on SQLite', 60, async () => {
  const ledger = await memoryLedger()
  return [
    { ledger, engine: await engineOn(ledger) },
    { ledger, engine: await engineOn(ledger) },
  ]
})
if (hasPostgres) {
  const { url } = testSchema()
  suite('schedules on PostgreSQL', 10, async () => {
    const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts')
    const one = async () => {
      const ledger = await openPostgresLedger({ database: url, connections: 2 })
      return { ledger, engine: await engineOn(ledger) }
    }
    return [await one(), await one()]
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))

it('a timer that fires a moment early is set again for the same time, even if that passes meanwhile', async () => {
  const ledger = await memoryLedger()
  const parts = { ledger, engine: await engineOn(ledger) }
  const problems: unknown[] = []
  const time = new ProcessTime(START, problems)
  const submitter = submitterOn(parts, time, { name: 'tick', cron: '0 3 * * *' }, problems)
  await submitter.start()
  time.stepMs = 1
  while (time.seen < START + 3 * 3_600_000 - 1) {
    const leftMs = START + 3 * 3_600_000 - 2 - time.monotonic()
    await time.fire({ lateMs: Math.min(0, leftMs - (time.waitMs ?? 0)), jumpMs: 0 })
  }
  expect([time.waitMs, (await ledger.list()).items]).toEqual([0, []])
  await time.fire({ lateMs: 0, jumpMs: 0 })
  expect([problems, (await ledger.list()).items.length]).toEqual([[], 1])
  await submitter.stop()
  await parts.engine.close()
  await ledger.close()
})
