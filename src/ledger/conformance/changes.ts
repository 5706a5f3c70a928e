import { describe, expect, it } from 'vitest'
import { CANCEL, failureOf, PARK } from './samples.ts'
import { fail, insert, ledger, start, time } from './setting.ts'

/** Changes to operations without a run: by people, by time, by a provider. */
export function changesConformance(): void {
  describe('without a run', () => {
    it('reasons are stored without secrets', async () => {
      const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
      const id = await insert()
      const seen: unknown[] = []
      const look = async () => seen.push(await ledger.get(id), await ledger.timeline(id))
      await ledger.transaction(writes => writes.park(id, { for: 'login', reason: `no ${secret}` }))
      await look()
      await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: `here is ${secret}` }))
      await look()
      await ledger.transaction(writes => writes.cancel(id, `away with ${secret}`))
      await look()
      await ledger.transaction(writes => writes.tell('time_skipped', { reason: `as ${secret}` }))
      seen.push(await ledger.events())
      expect(JSON.stringify(seen)).not.toContain(secret)
      expect(JSON.stringify(seen)).toContain('here is')
    })

    it('cancel ends what waits, and finds what has ended', async () => {
      const id = await insert()
      expect(await ledger.transaction(writes => writes.cancel(id, 'no'))).toBe('cancelled')
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled', reason: 'no' })
      expect(await ledger.transaction(writes => writes.cancel(id, 'no'))).toBe('ended')
      expect(await ledger.transaction(writes => writes.cancel('op_99', 'no'))).toBe('missing')
    })

    it('a dead operation revives with fresh counters and its full history', async () => {
      const id = await insert()
      await fail(id, failureOf())
      await time.advance(10_000)
      await fail(id, failureOf(), CANCEL)
      expect(await ledger.transaction(writes => writes.revive(id))).toBe(true)
      expect(await ledger.get(id)).toMatchObject({
        state: 'scheduled',
        retries: 0,
        retryingMs: 0,
        run: 2,
        attempts: 2,
      })
      expect(await start(id)).toBe(3)
      expect(await ledger.transaction(writes => writes.revive(id))).toBe(false)
    })

    it('a parked operation continues with its counters unchanged', async () => {
      const id = await insert()
      await fail(id, failureOf())
      await time.advance(10_000)
      await fail(id, failureOf(), PARK)
      expect(
        await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: 'logged in' })),
      ).toBe(true)
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', retries: 1, dueAt: time.now() })
      expect(await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: 'again' }))).toBe(
        false,
      )
    })

    it('edits change only operations that are not running', async () => {
      const id = await insert({ providers: ['a'] })
      const changes = { params: { n: 2 }, priority: 5, providers: ['b', 'c'] }
      expect(await ledger.transaction(writes => writes.edit(id, changes))).toBe(true)
      expect(await ledger.get(id)).toMatchObject(changes)
      expect((await ledger.list({ provider: 'c' })).items).toHaveLength(1)
      expect((await ledger.list({ provider: 'a' })).items).toHaveLength(0)
      await start(id)
      expect(await ledger.transaction(writes => writes.edit(id, { params: 3 }))).toBe(false)
    })

    it('time without a runner for the capability does not count as retry time', async () => {
      const advertise = () => ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert()
      const other = await insert({ capability: 'translate' })
      await fail(id, failureOf())
      await fail(other, failureOf())
      await time.advance(7_200_000)
      await advertise()
      await time.advance(4_000)
      await ledger.withdraw('r1')
      await time.advance(30_000)
      await advertise()
      await time.advance(2_000)
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 6_000 })
      await start(other)
      expect(await ledger.get(other)).toMatchObject({ retryingMs: 0 })
    })

    it('a runner that went silent counts until it was last seen', async () => {
      const id = await insert()
      await fail(id, failureOf())
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      await time.advance(20_000)
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      await time.advance(3_600_000)
      await ledger.advertise({ id: 'r2', capabilities: ['summarise'] })
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 20_000 })
    })

    it('a capability that another runner still has continues to count when one runner leaves', async () => {
      const id = await insert()
      await fail(id, failureOf())
      await ledger.advertise({ id: 'r1', capabilities: ['summarise', 'translate'] })
      await ledger.advertise({ id: 'r2', capabilities: ['summarise'] })
      await time.advance(5_000)
      await ledger.withdraw('r1')
      await time.advance(5_000)
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 10_000 })
    })

    it('setting the clock forward or back adds no retry time', async () => {
      const advertise = () => ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const [forward, back] = [await insert(), await insert()]
      await advertise()
      await fail(forward, failureOf())
      time.jump(3_600_000)
      await advertise()
      await time.advance(3_000)
      await start(forward)
      expect(await ledger.get(forward)).toMatchObject({ retryingMs: 3_000 })
      time.jump(-3_600_000)
      await advertise()
      await fail(back, failureOf())
      await ledger.withdraw('r1')
      await time.advance(600_000)
      await start(back)
      expect(await ledger.get(back)).toMatchObject({ retryingMs: 0 })
    })

    it('held time does not count as retry time', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert({ providers: ['a'] })
      await fail(id, failureOf())
      await time.advance(1_000)
      await ledger.transaction(writes => writes.hold([id], 'a'))
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'a', retryingMs: 1_000 })
      await time.advance(50_000)
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      await ledger.transaction(writes => writes.free([id]))
      await time.advance(2_000)
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 3_000 })
    })

    it('many operations are held and freed at once, each with its own event, and only those that can be', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const [first, failed, running, parked] = [
        await insert(),
        await insert(),
        await insert(),
        await insert(),
      ]
      await fail(failed, failureOf())
      await start(running)
      await fail(parked, failureOf(), PARK)
      await time.advance(1_000)
      const all = [first, failed, running, parked, 'op_99', first]
      const hold = (provider: string) => ledger.transaction(writes => writes.hold(all, provider))
      const free = () => ledger.transaction(writes => writes.free(all))
      expect([await hold('a'), await hold('a'), await hold('b')]).toEqual([2, 0, 2])
      expect(await ledger.get(first)).toMatchObject({ heldBy: 'b', retryingMs: 0 })
      expect(await ledger.get(failed)).toMatchObject({ heldBy: 'b', retryingMs: 1_000 })
      expect(await ledger.counts()).toMatchObject({ held: 2 })
      expect([await free(), await free()]).toEqual([2, 0])
      expect(await ledger.counts()).toMatchObject({ held: 0 })
      expect(await ledger.timeline(first)).toMatchObject([
        { type: 'submitted' },
        { type: 'held', data: { by: 'a' } },
        { type: 'held', data: { by: 'b' } },
        { type: 'freed', data: { by: 'b' } },
      ])
      expect((await ledger.timeline(failed)).map(({ type, run }) => [type, run]).slice(-3)).toEqual([
        ['held', 1],
        ['held', 1],
        ['freed', 1],
      ])
      await ledger.transaction(writes => writes.settle({ id: running, run: 1 }, { succeeded: true }))
      expect(await ledger.check()).toEqual([])
    })

    it('starting a held operation ends the hold, and its held time does not count as retry time', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert({ providers: ['a'] })
      await fail(id, failureOf())
      await time.advance(1_000)
      await ledger.transaction(writes => writes.hold([id], 'a'))
      await time.advance(50_000)
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ state: 'running', run: 2, retryingMs: 1_000 })
      expect(await ledger.counts()).toMatchObject({ held: 0 })
      expect((await ledger.timeline(id)).map(({ type }) => type).slice(-2)).toEqual(['held', 'claimed'])
    })
  })
}
