import { describe, expect, it } from 'vitest'
import { ClaimLoop } from '../../../src/engine/claim-loop.ts'
import { attemptOf, CANCEL, failureOf, PARK, RETRY } from '../../ledger/conformance/samples.ts'
import { claim, engine, first, ids, LEASE_MS, ledger, other, submit, time } from './setting.ts'

/** How long a claim lasts, and how a run ends or is cancelled. */
export function leasesConformance(): void {
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

    it('that expired is taken over by another runner, with the next run number and what the lost run left', async () => {
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
      expect(await engine.interrupted([run.fence])).toEqual([{ ...run.fence, by: 'lost' }])
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'taken_over', data: { from: 'r1' } })
    })

    it('that expired is taken over no matter how much else is due', async () => {
      const id = await submit()
      await first()
      for (let n = 0; n < 6; n++) await submit()
      const taken: string[] = []
      for (let n = 0; n < 6; n++) {
        taken.push(...ids(await claim({ runner: 'r2', limit: 1 }, other.engine)))
        await time.advance(LEASE_MS)
      }
      expect(taken).toContain(id)
    })

    it('that expired can still be settled if no runner took over', async () => {
      await submit()
      const run = await first()
      await time.advance(10 * LEASE_MS)
      expect(await engine.settle(run.fence, { succeeded: true })).toMatchObject({ settled: true })
      // Its own end is no interruption.
      expect(await engine.interrupted([run.fence])).toEqual([])
    })

    it('lasts as long as its capability needs', async () => {
      const [short, long] = [await submit(), await submit({ capability: 'b' })]
      const both = { capabilities: ['a', 'b'], leasesMs: { b: 4 * LEASE_MS } }
      // The second claim finds its leases looked at, as most do.
      expect(await claim({ ...both, limit: 1 })).toMatchObject([{ fence: { id: short }, leaseMs: LEASE_MS }])
      expect(await claim(both)).toMatchObject([{ fence: { id: long }, leaseMs: 4 * LEASE_MS }])
      expect(await claim({ ...both, runner: 'r2' }, other.engine)).toEqual([])
      await time.advance(2 * LEASE_MS)
      expect(ids(await claim({ ...both, runner: 'r2' }, other.engine))).toEqual([short])
      await time.advance(3 * LEASE_MS)
      expect(ids(await claim({ ...both, runner: 'r2' }, other.engine))).toContain(long)
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
      time.jump(86_400_000)
      await time.advance(LEASE_MS - 1)
      expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
    })

    it('is taken over after its length if the wall clock went back', async () => {
      await submit()
      await first()
      await claim({ runner: 'r2' }, other.engine)
      time.jump(-86_400_000)
      await time.advance(LEASE_MS - 1)
      expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
      await time.advance(2_000)
      expect(await claim({ runner: 'r2' }, other.engine)).toHaveLength(1)
    })

    it('of an unwatched runner is watched for its whole length first', async () => {
      await submit()
      await first()
      await time.advance(5 * LEASE_MS)
      expect(await claim({ runner: 'r2' }, other.engine)).toEqual([])
      await time.advance(LEASE_MS)
      expect(await claim({ runner: 'r2' }, other.engine)).toHaveLength(1)
    })

    it('is taken over by only one of many runners that try at once', async () => {
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
    it('by retry makes it due again after the wait', async () => {
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

    it('by release hands it back at once, and counts nothing', async () => {
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

    it('by park waits until it is unparked', async () => {
      const id = await submit()
      await engine.settle((await first()).fence, { verdict: PARK })
      await time.advance(1e9)
      expect(await claim()).toEqual([])
      expect(await engine.unpark([id, 'op_99'], { by: 'caller', reason: 'logged in' })).toEqual([true, false])
      expect(ids(await claim())).toEqual([id])
    })

    it('by cancel is final, until it is revived', async () => {
      const id = await submit()
      await engine.settle((await first()).fence, { verdict: CANCEL })
      expect(await engine.revive([id])).toEqual([true])
      expect(await claim()).toMatchObject([{ fence: { id, run: 2 } }])
    })
  })

  describe('cancel', () => {
    it('ends what waits and asks the runner of what runs, in the order of the ids', async () => {
      const running = await submit({ priority: 1 })
      const waiting = await submit()
      const run = await first()
      expect(await engine.cancel([running, waiting, 'op_9'])).toEqual(['requested', 'cancelled', 'missing'])
      expect(await engine.interrupted([run.fence])).toEqual([{ ...run.fence, by: 'cancel' }])
      expect(await engine.renew([run.fence])).toMatchObject([{ held: true, cancelRequested: true }])
    })

    it('reaches the work of the same process at once, even if no lease can be renewed', async () => {
      const id = await submit()
      const started = signalled()
      const stopped = Promise.withResolvers<unknown>()
      const runner = new ClaimLoop({
        ledger,
        engine: new Proxy(engine, {
          get: (target, name) => {
            if (name === 'renew') return () => new Promise(() => {})
            const member = Reflect.get(target, name) as unknown
            return typeof member === 'function' ? member.bind(target) : member
          },
        }),
        id: 'r1',
        capabilities: ['a'],
        time,
        work: async (_run, signal) => {
          signal.addEventListener('abort', () => stopped.resolve(signal.reason))
          started.resolve()
          await stopped.promise
          return { verdict: { ...CANCEL, as: 'cancelled' } as typeof CANCEL }
        },
      })
      await runner.start()
      await started.promise
      expect(await engine.cancel([id])).toEqual(['requested'])
      // No time passes.
      expect(await stopped.promise).toBe('cancel')
      await runner.stop()
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
      // File watching reports at once; the fallback poll and the renewal run on the clock of the test.
      await time.advance(LEASE_MS)
      await runner.stop()
      expect(reasons).toEqual(['cancel'])
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
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
