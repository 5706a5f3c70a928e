import { describe, expect, it } from 'vitest'
import type { ClaimLoop } from '../../../src/engine/claim-loop.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { claim, engine, LEASE_MS, ledger, other, pass, runnerOf, submit, time } from './setting.ts'

/** A claim loop on this engine. */
export function claimLoopConformance(): void {
  describe('a runner', () => {
    it('runs due operations as slots become free, and later ones as they come', async () => {
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

    it('keeps its leases during long work', async () => {
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
        await pass(LEASE_MS, 3)
      }
      finish.resolve()
      await runner.stop({ graceMs: 1_000 })
      expect((await ledger.counts({ state: 'succeeded' })).total).toBe(1)
    })

    it('stops: lets work finish in its grace, hands back the rest, and claims nothing new', async () => {
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

    it('hands back work that throws, to be run later, and reports the error', async () => {
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

    it('takes over what it claimed without hearing of it, when the lease has ended', async () => {
      const id = await submit()
      const lost: unknown[] = []
      let fails = true
      const runner = runnerOf({
        leaseMs: LEASE_MS,
        engine: changed(engine, {
          claim: async request => {
            const claims = await engine.claim(request)
            if (!fails || claims.runs.length === 0) return claims
            fails = false
            throw new Error('the answer was lost')
          },
        }),
        work: async run => {
          lost.push(run.lost?.run)
          return { succeeded: true }
        },
      })
      await runner.start()
      for (let i = 0; i < 8 && lost.length === 0; i++) await pass(LEASE_MS / 2, 3)
      await runner.stop({ graceMs: 1_000 })
      expect(lost).toEqual([1])
      expect(await ledger.get(id)).toMatchObject({ state: 'succeeded', run: 2 })
    })

    it('takes nothing over that it still works on, though it could not renew the lease', async () => {
      await submit()
      const finish = signalled()
      let began = 0
      const runner = runnerOf({
        leaseMs: LEASE_MS,
        engine: changed(engine, { renew: () => Promise.reject(new Error('away')) }),
        work: async () => {
          began++
          await finish.promise
          return { succeeded: true }
        },
      })
      await runner.start()
      for (let i = 0; i < 4; i++) {
        await pass(LEASE_MS / 2, 3)
        await submit()
      }
      finish.resolve()
      await runner.stop({ graceMs: 1_000 })
      expect(began).toBeLessThanOrEqual(5)
      expect((await ledger.counts({ state: 'running' })).total).toBe(0)
      expect((await ledger.list()).items.map(({ run }) => run).filter(run => run > 1)).toEqual([])
    })
  })
}

/** The engine with some of its verbs changed. */
function changed(of: Engine, verbs: Partial<Engine>): Engine {
  return new Proxy(of, {
    get: (target, name) => {
      const verb = verbs[name as keyof Engine] ?? target[name as keyof Engine]
      return typeof verb === 'function' ? verb.bind(target as never) : verb
    },
  })
}

function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}
