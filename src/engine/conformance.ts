import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attemptOf, CANCEL, failureOf, PARK, RETRY, type TestTime } from '../ledger/conformance.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.ts'
import { type ClaimedRun, type ClaimRequest, type Engine, SKIP_FOR_MS } from './engine.ts'

/** An engine and its ledger, twice on the same data, as in two processes. */
export interface EngineUnderTest {
  ledger: Ledger
  engine: Engine
  /** The same, as another process sees it, with a monotonic clock of its own. */
  other: { ledger: Ledger; engine: Engine }
  time: TestTime
  close: () => Promise<void>
}

const LEASE_MS = 30_000

/** What every engine promises; each implementation's test calls it. */
export function engineConformance(name: string, make: () => Promise<EngineUnderTest>): void {
  describe(`${name}, as an engine`, () => {
    let ledger: Ledger
    let engine: Engine
    let other: EngineUnderTest['other']
    let time: TestTime
    let close: () => Promise<void>

    beforeEach(async () => {
      ;({ ledger, engine, other, time, close } = await make())
    })
    afterEach(async () => {
      // Whatever a test did: nothing the ledger promises may be broken by it.
      const findings = await ledger.check()
      await close()
      expect(findings).toEqual([])
    })

    const submit = async (more: Partial<NewOperation> = {}): Promise<string> => {
      const [inserted] = await engine.schedule([{ capability: 'a', params: null, ...more }])
      return inserted?.id as string
    }
    const runnerOf = (more: Omit<ClaimLoopOptions, 'ledger' | 'engine' | 'id' | 'capabilities'>): ClaimLoop =>
      new ClaimLoop({ ledger, engine, id: 'r1', capabilities: ['a'], time, ...more })
    const claim = async (
      more: Partial<ClaimRequest> = {},
      by: Engine = engine,
    ): Promise<readonly ClaimedRun[]> => {
      const request = { runner: 'r1', capabilities: ['a'], limit: 10, leaseMs: LEASE_MS, ...more }
      return (await by.claim(request)).runs
    }
    const ids = (runs: readonly ClaimedRun[]) => runs.map(({ operation }) => operation.id)
    const first = async (more: Partial<ClaimRequest> = {}): Promise<ClaimedRun> =>
      (await claim({ limit: 1, ...more }))[0] as ClaimedRun

    describe('claiming', () => {
      it('takes what is due, by priority, then time, then age', async () => {
        const late = await submit({ dueAt: time.now() - 1_000 })
        const early = await submit({ dueAt: time.now() - 2_000 })
        const same = await submit({ dueAt: time.now() - 1_000 })
        const urgent = await submit({ priority: 5 })
        const unimportant = await submit({ priority: -5, dueAt: time.now() - 9_000 })
        await submit({ dueAt: time.now() + 1, priority: 9 })
        expect(ids(await claim())).toEqual([urgent, early, late, same, unimportant])
      })

      it('orders by priority across capabilities and providers', async () => {
        const low = await submit({ capability: 'a', providers: ['p'] })
        const high = await submit({ capability: 'b', providers: ['q'], priority: 1 })
        const mid = await submit({ capability: 'b', dueAt: time.now() - 5 })
        expect(ids(await claim({ capabilities: ['a', 'b'] }))).toEqual([high, mid, low])
      })

      it('gives the running operation, its fence and its lease', async () => {
        const id = await submit({ params: { x: 1 } })
        const run = await first()
        expect(run).toMatchObject({
          operation: { id, state: 'running', run: 1, params: { x: 1 } },
          fence: { id, run: 1 },
          leaseMs: LEASE_MS,
        })
        expect(await ledger.get(id)).toEqual(run.operation)
      })

      it('takes only what the runner can run', async () => {
        await submit({ capability: 'b' })
        expect(await claim()).toEqual([])
        expect(await claim({ capabilities: [] })).toEqual([])
        expect(await claim({ capabilities: ['c', 'b'] })).toHaveLength(1)
      })

      it('takes at most as many as asked for, and the rest later', async () => {
        for (let i = 0; i < 5; i++) await submit()
        expect(await claim({ limit: 2 })).toHaveLength(2)
        expect(await claim({ limit: 2 })).toHaveLength(2)
        expect(await claim({ limit: 2 })).toHaveLength(1)
        expect(await claim({ limit: 0 })).toEqual([])
      })

      it('never gives one operation to two, who claim at the same time', async () => {
        for (let i = 0; i < 40; i++) await submit()
        const claims = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            claim({ runner: `r${index}`, limit: 7 }, index % 2 === 0 ? engine : other.engine),
          ),
        )
        const taken = claims.flat().map(({ operation }) => operation.id)
        expect(taken).toHaveLength(40)
        expect(new Set(taken).size).toBe(40)
      })

      it('leaves alone what is to be left to others, but not what is behind it, and not for ever', async () => {
        const left = [await submit(), await submit()]
        const behind = await submit()
        const skip = new Set(left)
        const request = { runner: 'r1', capabilities: ['a'], limit: 1, skip }
        const { runs } = await engine.claim(request)
        expect(ids(runs)).toEqual([behind])
        await engine.settle((runs[0] as ClaimedRun).fence, { succeeded: true, attempt: attemptOf(time) })
        const { nextAt } = await engine.claim(request)
        expect(nextAt).toBe(time.now() + SKIP_FOR_MS)
        expect(ids(await claim({ runner: 'r2', limit: 1 }))).toEqual([left[0]])
        await time.advance(SKIP_FOR_MS)
        expect(ids(await claim({ runner: 'r3', skip }, other.engine))).toContain(left[1])
      })

      it('takes over the run of a lost runner, also of what is to be left to others', async () => {
        const id = await submit()
        await first()
        await claim({ runner: 'r2' }, other.engine)
        await time.advance(LEASE_MS + 1)
        expect(ids(await claim({ runner: 'r2', skip: new Set([id]) }, other.engine))).toEqual([id])
      })

      it('says when to ask again', async () => {
        await submit({ dueAt: time.now() + 7_000 })
        await submit({ dueAt: time.now() + 3_000, priority: -1 })
        expect((await engine.claim({ runner: 'r', capabilities: ['a'], limit: 1 })).nextAt).toBe(
          time.now() + 3_000,
        )
      })

      it('keeps to the limits of capabilities over all runners', async () => {
        for (let i = 0; i < 5; i++) await submit()
        const limits = { capabilities: { a: 3 } }
        expect(await claim({ limits, limit: 2 })).toHaveLength(2)
        const [last] = await claim({ limits, runner: 'r2' }, other.engine)
        expect(await claim({ limits })).toEqual([])
        await engine.settle(last?.fence as ClaimedRun['fence'], { succeeded: true })
        expect(await claim({ limits })).toHaveLength(1)
      })

      it('keeps to the limits of providers, and lets others pass', async () => {
        for (let i = 0; i < 4; i++) await submit({ providers: ['p'] })
        const free = await submit({ providers: ['q'] })
        const runs = await claim({ limits: { providers: { p: 2 } } })
        expect(runs).toHaveLength(3)
        expect(ids(runs)).toContain(free)
        expect(await claim({ limits: { providers: { p: 2 } } })).toEqual([])
      })
    })

    describe('begin', () => {
      it('writes the first run, leased, before any work is done', async () => {
        const { claimed } = await engine.begin(
          { capability: 'a', params: 1 },
          { runner: 'r1', leaseMs: LEASE_MS },
        )
        expect(claimed).toMatchObject({ operation: { state: 'running', run: 1 }, leaseMs: LEASE_MS })
        expect(await claim({ runner: 'r2' })).toEqual([])
        expect(await engine.settle(claimed?.fence as ClaimedRun['fence'], { succeeded: true })).toMatchObject(
          {
            settled: true,
          },
        )
      })

      it('finds the operation that its key stands for', async () => {
        const operation = { capability: 'a', params: 1, key: 'k' }
        const { claimed } = await engine.begin(operation, { runner: 'r1' })
        expect(await engine.begin(operation, { runner: 'r2' })).toEqual({ existing: claimed?.operation.id })
      })

      it('is recovered like any other run when its process dies', async () => {
        const { claimed } = await engine.begin(
          { capability: 'a', params: 1 },
          { runner: 'dead', leaseMs: LEASE_MS },
        )
        await claim()
        await time.advance(LEASE_MS)
        const [run] = await claim()
        expect(run).toMatchObject({ fence: { id: claimed?.operation.id, run: 2 }, lost: { run: 1 } })
      })
    })

    describe('a lease', () => {
      it('that is renewed is never taken over', async () => {
        await submit()
        const run = await first()
        for (let i = 0; i < 20; i++) {
          await time.advance(LEASE_MS / 2)
          expect(await engine.renew([run.fence])).toEqual([
            { ...run.fence, held: true, cancelRequested: false },
          ])
          expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        }
      })

      it('that expired is taken over by another, with the next number and what the lost run left', async () => {
        const id = await submit()
        const run = await first()
        await engine.record(run.fence, { agentSession: 'as', folder: '/w', costUsd: 1.5 })
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        await time.advance(LEASE_MS)
        const [taken] = await claim({ runner: 'r2' }, other.engine)
        expect(taken).toMatchObject({
          fence: { id, run: 2 },
          lost: { run: 1, agentSession: 'as', folder: '/w', costUsd: 1.5 },
        })
        expect(await engine.settle(run.fence, { succeeded: true })).toEqual({
          settled: false,
          stale: true,
          run: 2,
        })
        expect(await engine.renew([run.fence])).toEqual([{ ...run.fence, held: false }])
        expect(await engine.interrupted([run.fence])).toEqual([run.fence])
        expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'taken_over', data: { from: 'r1' } })
      })

      it('that expired can still be settled, if nobody took over', async () => {
        await submit()
        const run = await first()
        await time.advance(10 * LEASE_MS)
        expect(await engine.settle(run.fence, { succeeded: true })).toMatchObject({ settled: true })
      })

      it('is not lost because the wall clock jumps ahead', async () => {
        await submit()
        const run = await first()
        await claim({ runner: 'r2' }, other.engine)
        time.jump(86_400_000)
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        await time.advance(LEASE_MS - 1)
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        await engine.renew([run.fence])
        await time.advance(LEASE_MS - 1)
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
      })

      it('is taken over after its length, when the wall clock went back', async () => {
        await submit()
        await first()
        await claim({ runner: 'r2' }, other.engine)
        time.jump(-86_400_000)
        await time.advance(LEASE_MS - 1)
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        await time.advance(2_000)
        expect(await claim({ runner: 'r2' }, other.engine)).toHaveLength(1)
      })

      it('of a runner that nobody watched is watched for its whole length first', async () => {
        await submit()
        await first()
        await time.advance(5 * LEASE_MS)
        expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
        await time.advance(LEASE_MS)
        expect(await claim({ runner: 'r2' }, other.engine)).toHaveLength(1)
      })

      it('is taken over by one of many who try at once', async () => {
        await submit()
        await first()
        await claim({ runner: 'r2' })
        await claim({ runner: 'r3' }, other.engine)
        await time.advance(LEASE_MS)
        const claims = await Promise.all([claim({ runner: 'r2' }), claim({ runner: 'r3' }, other.engine)])
        expect(claims.flat()).toHaveLength(1)
      })
    })

    describe('the end of a run', () => {
      it('by retry comes due again after its wait', async () => {
        const id = await submit()
        const run = await first()
        const attempt = attemptOf(time, { failure: failureOf() })
        expect(await engine.settle(run.fence, { verdict: RETRY, attempt })).toMatchObject({
          state: 'scheduled',
          dueAt: time.now() + 10_000,
        })
        expect(await claim()).toEqual([])
        await time.advance(10_000)
        expect(ids(await claim())).toEqual([id])
      })

      it('by release gives it back at once, and counts nothing', async () => {
        const id = await submit()
        const run = await first()
        await engine.release(run.fence)
        const again = await first({ runner: 'r2' })
        expect(again).toMatchObject({
          fence: { id, run: 2 },
          operation: { retries: 0, snoozes: 0, attempts: 0 },
        })
        expect(again.lost).toBeUndefined()
      })

      it('by park waits for whoever unparks it', async () => {
        const id = await submit()
        await engine.settle((await first()).fence, { verdict: PARK })
        await time.advance(1e9)
        expect(await claim()).toEqual([])
        expect(await engine.unpark([id, 'op_99'], { by: 'caller', reason: 'logged in' })).toEqual([
          true,
          false,
        ])
        expect(ids(await claim())).toEqual([id])
      })

      it('by cancel is final, until somebody revives it', async () => {
        const id = await submit()
        await engine.settle((await first()).fence, { verdict: CANCEL })
        expect(await engine.revive([id])).toEqual([true])
        expect(await claim()).toMatchObject([{ fence: { id, run: 2 } }])
      })
    })

    describe('cancel', () => {
      it('ends what waits and asks where it runs, in the order of the ids', async () => {
        const running = await submit({ priority: 1 })
        const waiting = await submit()
        const run = await first()
        expect(await engine.cancel([running, waiting, 'op_9'])).toEqual(['requested', 'cancelled', 'missing'])
        expect(await engine.interrupted([run.fence])).toEqual([run.fence])
        expect(await engine.renew([run.fence])).toMatchObject([{ held: true, cancelRequested: true }])
      })

      it('reaches the work of another process', async () => {
        const id = await submit()
        const reasons: unknown[] = []
        const started = signalled()
        const runner = new ClaimLoop({
          ...other,
          id: 'r2',
          capabilities: ['a'],
          time,
          work: async (_run, signal) => {
            started.resolve()
            await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
            reasons.push(signal.reason)
            return { verdict: { ...CANCEL, as: 'cancelled' } as typeof CANCEL }
          },
        })
        await runner.start()
        await started.promise
        await engine.cancel([id])
        // Files tell at once; the poll behind them and the renewal are on the clock of the test.
        await time.advance(LEASE_MS)
        await runner.stop()
        expect(reasons).toEqual(['cancel'])
        expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
      })
    })

    describe('a blocked provider', () => {
      it('holds what needs it, without trying, and names itself', async () => {
        const needs = await submit({ providers: ['p'] })
        const pool = await submit({ providers: ['p', 'q'] })
        await engine.block('p', time.now() + 60_000)
        expect(ids(await claim())).toEqual([pool])
        expect(await ledger.get(needs)).toMatchObject({ state: 'scheduled', heldBy: 'p', run: 0 })
      })

      it('holds a pool only when all of it is blocked, by the one that is free first', async () => {
        const id = await submit({ providers: ['p', 'q', 'r'] })
        await engine.block('p', time.now() + 60_000)
        await engine.block('q', time.now() + 30_000)
        await engine.block('r', 'cleared')
        const { runs, nextAt } = await engine.claim({ runner: 'r1', capabilities: ['a'], limit: 1 })
        expect(runs).toEqual([])
        expect(nextAt).toBe(time.now() + 30_000)
        expect(await ledger.get(id)).toMatchObject({ heldBy: 'q' })
        await time.advance(30_000)
        expect(ids(await claim())).toEqual([id])
      })

      it('lets a pool go through whichever is free earlier than thought', async () => {
        const id = await submit({ providers: ['p', 'q'] })
        await engine.block('p', time.now() + 10_000)
        await engine.block('q', time.now() + 60_000)
        await claim()
        expect(await ledger.get(id)).toMatchObject({ heldBy: 'p' })
        await engine.unblock('q')
        expect(ids(await claim())).toEqual([id])
      })

      it('lets go of what is given another provider', async () => {
        const id = await submit({ providers: ['p'] })
        await engine.block('p', 'cleared')
        await claim()
        expect(await engine.edit(id, { providers: ['p', 'q'] })).toBe(true)
        expect(ids(await claim())).toEqual([id])
      })

      it('lets them back gradually, the urgent first', async () => {
        const all: string[] = []
        for (let i = 0; i < 40; i++) all.push(await submit({ providers: ['p'], priority: i === 39 ? 1 : 0 }))
        await engine.block('p', time.now() + 60_000)
        expect(await claim({ limit: 100 })).toEqual([])
        expect((await ledger.counts({ heldBy: 'p' })).held).toBe(40)
        await time.advance(60_000)
        const started: number[] = []
        const order: string[] = []
        for (let second = 0; second < 6; second++) {
          const runs = await claim({ limit: 100 })
          started.push(runs.length)
          order.push(...ids(runs))
          await time.advance(1_000)
        }
        expect(started).toEqual([1, 2, 4, 8, 16, 9])
        expect(order).toEqual([all[39], ...all.slice(0, 39)])
      })

      it('lets those that come due at the reset start gradually too', async () => {
        await engine.block('p', time.now() + 60_000)
        for (let i = 0; i < 10; i++) await submit({ providers: ['p'], dueAt: time.now() + 60_000 })
        await time.advance(60_000)
        expect(await claim({ limit: 100 })).toHaveLength(1)
        await time.advance(1_000)
        expect(await claim({ limit: 100 })).toHaveLength(2)
      })

      it('is free for everybody after a while', async () => {
        for (let i = 0; i < 3; i++) await submit({ providers: ['p'] })
        await engine.block('p', 'cleared')
        await claim()
        await time.advance(1e10)
        expect(await claim()).toEqual([])
        await engine.unblock('p')
        await time.advance(60_000)
        expect(await claim()).toHaveLength(3)
        await time.advance(60_000)
        for (let i = 0; i < 50; i++) await submit({ providers: ['p'] })
        expect(await claim({ limit: 100 })).toHaveLength(50)
      })
    })

    describe('a pause', () => {
      it('of the queue stops all claims, until it is resumed', async () => {
        await submit()
        await engine.pause({ queue: true })
        expect(await claim({}, other.engine)).toEqual([])
        expect(await other.engine.pauses()).toEqual({ queue: true, capabilities: [], providers: [] })
        await other.engine.resume({ queue: true })
        expect(await claim()).toHaveLength(1)
      })

      it('of a capability stops its claims alone', async () => {
        await submit()
        const b = await submit({ capability: 'b' })
        await engine.pause({ capability: 'a' })
        expect(ids(await claim({ capabilities: ['a', 'b'] }))).toEqual([b])
        await engine.resume({ capability: 'a' })
        expect(await claim()).toHaveLength(1)
      })

      it('of a provider holds what needs it, also when its block ends meanwhile', async () => {
        const id = await submit({ providers: ['p'] })
        await engine.pause({ provider: 'p' })
        await engine.block('p', time.now() + 1_000)
        await time.advance(5_000)
        expect(await claim()).toEqual([])
        expect(await ledger.get(id)).toMatchObject({ heldBy: 'p' })
        expect((await engine.pauses()).providers).toEqual(['p'])
        await engine.resume({ provider: 'p' })
        expect(ids(await claim())).toEqual([id])
      })

      it('is told in events, once', async () => {
        await engine.pause({ queue: true })
        await engine.pause({ queue: true })
        await engine.resume({ queue: true })
        await engine.resume({ queue: true })
        expect((await ledger.events()).map(({ type }) => type)).toEqual(['paused', 'resumed'])
      })
    })

    describe('housekeeping', () => {
      it('parks what nobody could run for an hour, and brings it back when somebody can', async () => {
        const id = await submit()
        const later = await submit({ dueAt: time.now() + 3_000_000 })
        await time.advance(3_600_001)
        expect(await engine.maintain()).toEqual({ parked: 1, unparked: 0, expired: 0, repaired: 0 })
        expect(await ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'runner' })
        expect(await ledger.get(later)).toMatchObject({ state: 'scheduled' })
        await other.ledger.advertise({ id: 'r2', capabilities: ['a'] })
        expect(await engine.maintain()).toMatchObject({ unparked: 1 })
        expect(await ledger.get(id)).toMatchObject({ state: 'scheduled' })
      })

      it('leaves alone what a living runner will come to', async () => {
        await submit()
        await time.advance(3_600_001)
        await ledger.advertise({ id: 'r1', capabilities: ['a'] })
        expect(await engine.maintain()).toEqual({ parked: 0, unparked: 0, expired: 0, repaired: 0 })
      })

      it('makes due again what was submitted while the clock was ahead, and nothing that was wanted later', async () => {
        await engine.maintain()
        time.jump(365 * 86_400_000)
        const id = await submit()
        const later = await submit({ dueAt: time.now() + 60_000 })
        const tried = await submit()
        await ledger.transaction(writes => writes.edit(tried, { priority: 1 }))
        const run = await first()
        expect(run.fence.id).toBe(tried)
        await engine.release(run.fence, { dueAt: time.now() + 30_000 })
        const wanted = await ledger.get(later)
        time.jump(-365 * 86_400_000)
        expect(await claim()).toEqual([])
        expect(await engine.maintain()).toMatchObject({ repaired: 2 })
        expect(await engine.maintain()).toMatchObject({ repaired: 0 })
        expect(await ledger.get(later)).toEqual(wanted)
        expect((await claim()).map(({ fence }) => fence.id)).toEqual([id])
        // What was to wait for half a minute waits for half a minute.
        await time.advance(29_999)
        expect(await claim()).toEqual([])
        await time.advance(2)
        expect((await claim()).map(({ fence }) => fence.id)).toEqual([tried])
      })

      it('does not believe a runner that was seen in the future', async () => {
        time.jump(3_600_000)
        await ledger.advertise({ id: 'r1', capabilities: ['a'] })
        expect(await ledger.runners()).toHaveLength(1)
        time.jump(-3_600_000)
        expect(await ledger.runners()).toEqual([])
        await ledger.advertise({ id: 'r1', capabilities: ['a'] })
        expect(await ledger.runners()).toHaveLength(1)
      })

      it('ends what was parked for thirty days', async () => {
        const id = await submit()
        await engine.settle((await first()).fence, { verdict: PARK })
        await time.advance(30 * 86_400_000 - 1)
        expect(await engine.maintain()).toMatchObject({ expired: 0 })
        await time.advance(2)
        expect(await engine.maintain()).toMatchObject({ expired: 1 })
        expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'expired' })
      })
    })

    describe('waking', () => {
      it('comes at once for what is due now, and at its time for what is due later', async () => {
        const woken: number[] = []
        const stop = engine.onWork(() => woken.push(time.now()))
        const start = time.now()
        await submit()
        await submit({ dueAt: start + 200_000 })
        await submit({ dueAt: start + 90_000 })
        await time.advance(300_000)
        stop()
        expect([...new Set(woken)]).toEqual([start, start + 90_000])
      })

      it('comes from another process', async () => {
        let wake = () => {}
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        const stop = other.engine.onWork(wake)
        await engine.wake()
        await Promise.race([woken, time.advance(1_000).then(() => woken)])
        stop()
        expect(await other.ledger.lastEvent()).toBe(0)
      })
    })

    describe('a runner', () => {
      it('runs what is due, one after the other as slots are free, and what comes later', async () => {
        for (let i = 0; i < 5; i++) await submit({ params: i })
        const ran: unknown[] = []
        let most = 0
        const all = signalled()
        const runner: ClaimLoop = runnerOf({
          concurrency: 2,
          work: async ({ operation }) => {
            most = Math.max(most, runner.active)
            ran.push(operation.params)
            if (ran.length === 6) all.resolve()
            return { succeeded: true, result: operation.params }
          },
        })
        await runner.start()
        await submit({ params: 5 })
        await all.promise
        await runner.stop()
        expect(ran).toEqual([0, 1, 2, 3, 4, 5])
        expect(most).toBeLessThanOrEqual(2)
        expect((await ledger.counts({ state: 'succeeded' })).total).toBe(6)
        expect(await ledger.runners()).toEqual([])
      })

      it('keeps its leases while work takes long', async () => {
        await submit()
        const finish = signalled()
        const started = signalled()
        const runner = runnerOf({
          leaseMs: LEASE_MS,
          work: async () => {
            started.resolve()
            await finish.promise
            return { succeeded: true }
          },
        })
        await runner.start()
        await started.promise
        for (let i = 0; i < 10; i++) {
          expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
          await time.advance(LEASE_MS)
        }
        finish.resolve()
        await runner.stop({ graceMs: 1_000 })
        expect((await ledger.counts({ state: 'succeeded' })).total).toBe(1)
      })

      it('stops: lets work finish in its grace, hands back the rest, and takes nothing new', async () => {
        const quick = await submit({ params: 'quick' })
        const slow = await submit({ params: 'slow' })
        const started = signalled()
        const runner = runnerOf({
          work: async ({ operation }, signal) => {
            if (operation.params === 'slow') started.resolve()
            const waits = operation.params === 'quick' ? 1_000 : 1e9
            const aborted = await new Promise<boolean>(resolve => {
              time.after(waits, () => resolve(false))
              signal.addEventListener('abort', () => resolve(true))
            })
            return aborted ? undefined : { succeeded: true }
          },
        })
        await runner.start()
        await started.promise
        const stopped = runner.stop({ graceMs: 5_000 })
        const late = await submit({ params: 'late' })
        await time.advance(6_000)
        await stopped
        expect(await ledger.get(quick)).toMatchObject({ state: 'succeeded' })
        expect(await ledger.get(slow)).toMatchObject({ state: 'scheduled', retries: 0, run: 1 })
        expect(await ledger.get(late)).toMatchObject({ state: 'scheduled', run: 0 })
      })

      it('gives back what throws, later, and says so', async () => {
        const id = await submit()
        const errors: unknown[] = []
        const told = signalled()
        const runner = runnerOf({
          work: () => Promise.reject(new Error('a bug')),
          onError: error => {
            errors.push(error)
            told.resolve()
          },
        })
        await runner.start()
        await told.promise
        await runner.stop()
        expect(errors).toMatchObject([{ message: 'a bug' }])
        expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', dueAt: time.now() + 5_000 })
      })
    })
  })
}

function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}
