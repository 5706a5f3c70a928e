import { describe, expect, it } from 'vitest'
import { answerOf } from '../../../src/ledger/writing.ts'
import { PARK } from '../../ledger/conformance/samples.ts'
import { claim, engine, first, ids, ledger, other, submit, time } from './setting.ts'

/** Maintenance and waking. */
export function maintenanceConformance(): void {
  describe('maintenance', () => {
    it('parks what no runner could run for an hour, and unparks it when one can', async () => {
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

    it('parks everything that no runner can run, however much there is, unless it is stopped', async () => {
      await engine.schedule(Array.from({ length: 401 }, () => ({ capability: 'nobody', params: {} })))
      await time.advance(3_600_001)
      expect(await engine.maintain({ signal: AbortSignal.abort() })).toMatchObject({ parked: 0 })
      expect(await engine.maintain()).toMatchObject({ parked: 401 })
      expect((await ledger.counts({ state: 'parked' })).total).toBe(401)
    })

    it('leaves what a live runner can run', async () => {
      await submit()
      await time.advance(3_600_001)
      await ledger.advertise({ id: 'r1', capabilities: ['a'] })
      expect(await engine.maintain()).toEqual({ parked: 0, unparked: 0, expired: 0, repaired: 0 })
    })

    it('leaves what a runner could run within the last hour, for example before a restart', async () => {
      await submit()
      await time.advance(3_600_001)
      await ledger.advertise({ id: 'r1', capabilities: ['a'] })
      await time.advance(120_000)
      expect(await engine.maintain()).toMatchObject({ parked: 0 })
      await time.advance(3_600_001)
      expect(await engine.maintain()).toMatchObject({ parked: 1 })
    })

    it('makes operations due again that were submitted while the clock was ahead, but none that were meant for later', async () => {
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
      // A wait of half a minute stays half a minute.
      await time.advance(29_999)
      expect(await claim()).toEqual([])
      await time.advance(2)
      expect((await claim()).map(({ fence }) => fence.id)).toEqual([tried])
    })

    it('makes a wait due again that was written while the clock was ahead, although nobody looked meanwhile', async () => {
      const id = await submit()
      const run = await first()
      await engine.maintain()
      time.jump(2 * 86_400_000)
      await engine.release(run.fence, { dueAt: time.now() + 30_000 })
      time.jump(-2 * 86_400_000)
      expect(await engine.maintain()).toMatchObject({ repaired: 1 })
      await time.advance(30_001)
      expect((await claim()).map(({ fence }) => fence.id)).toEqual([id])
    })

    it('makes what a killed process wrote while its clock was ahead due again, although nobody saw the jump and much happened since', async () => {
      const tried = await submit()
      const run = await first()
      const parked = await submit({ capability: 'b' })
      await engine.park([parked], { for: 'login', reason: 'log in' })
      await other.engine.maintain()
      time.jump(3_600_000)
      await engine.release(run.fence, { dueAt: time.now() + 30_000 })
      await engine.unpark([parked], { by: 'person', reason: 'it can' })
      const submitted = await submit()
      // This process is killed. The other one reads the right clock again, and goes on.
      time.jump(-3_600_000)
      const [newer] = await other.engine.schedule([{ capability: 'c', params: null }])
      await other.ledger.transaction(function* (writes) {
        for (let n = 0; n < 1_001; n++) yield* answerOf(writes.tell('paused', { queue: true }))
      })
      expect(await other.engine.maintain()).toMatchObject({ repaired: 3 })
      expect(await other.engine.maintain()).toMatchObject({ repaired: 0 })
      expect(ids(await claim({ capabilities: ['a', 'b', 'c'] }, other.engine)).toSorted()).toEqual(
        [parked, submitted, newer?.id].toSorted(),
      )
      await time.advance(30_001)
      expect(ids(await claim({}, other.engine))).toEqual([tried])
    })

    it('starts what was held while the clock was ahead as soon as its provider is free', async () => {
      const waited = await submit({ providers: ['p'] })
      const run = await first()
      await engine.block('p', 'cleared')
      time.jump(3_600_000)
      await engine.release(run.fence)
      const submitted = await submit({ providers: ['p'] })
      expect(await claim()).toEqual([])
      expect(await ledger.get(waited)).toMatchObject({ heldBy: 'p' })
      time.jump(-3_600_000)
      await engine.unblock('p')
      const freed: string[] = []
      for (let look = 0; look < 10; look++) {
        freed.push(...ids(await claim({ capabilities: ['a'] })))
        await engine.maintain()
        await time.advance(1_000)
      }
      expect(freed.toSorted()).toEqual([waited, submitted].toSorted())
    })

    it('ignores a runner last seen in the future', async () => {
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
      expect(await ledger.get(id)).toMatchObject({
        state: 'dead',
        deadAs: 'expired',
        reason: 'parked for more than 30 days',
      })
    })
  })

  describe('waking', () => {
    it('happens at once for what is due now, and at its time for what is due later', async () => {
      const woken: number[] = []
      const stop = engine.onWork(() => woken.push(time.now()))
      const start = time.now()
      await submit()
      await submit({ dueAt: start + 200_000 })
      await submit({ dueAt: start + 90_000 })
      await time.advance(300_000)
      stop()
      expect(woken).toContain(start)
      expect(woken).toContain(start + 90_000)
      // An engine that also polls may wake twice more: it cannot tell its own writes from those of another process, and looks
      // again for a number that it saw before its commit.
      expect(new Set(woken).size).toBeLessThanOrEqual(4)
    })

    it('works from another process', async () => {
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
}
