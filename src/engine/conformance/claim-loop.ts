import { describe, expect, it } from 'vitest'
import type { ClaimLoop } from '../claim-loop.ts'
import { claim, LEASE_MS, ledger, other, pass, runnerOf, submit, time } from './setting.ts'

/** A claim loop on this engine. */
export function claimLoopConformance(): void {
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
        await pass(LEASE_MS, 3)
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
}

function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}
