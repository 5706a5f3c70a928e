import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/ledger/operation.ts'
import type { EndingVerdict } from '../../../src/ledger/settlement.ts'
import { keys } from '../../../src/provider/keys.ts'
import { ABOUT, CANCEL, failureOf, PARK, RETRY } from './samples.ts'
import { close, fail, insert, ledger, reopen, start, succeed, time } from './setting.ts'

/** Longer than any test waits. */
const LONG: EndingVerdict = { ...RETRY, delayMs: 36_000_000 } as EndingVerdict

const snoozeUntil = (until: number): EndingVerdict => ({ action: 'snooze', until, mode: 'resume', ...ABOUT })

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
      const done = await insert()
      await succeed(done)
      expect(await ledger.transaction(writes => writes.cancel(done, 'no'))).toBe('ended')
      expect(await ledger.get(done)).toMatchObject({ state: 'succeeded' })
    })

    it('a dead or parked operation ends as succeeded once a person says that its work is done', async () => {
      const dead = await insert()
      const parked = await insert()
      const running = await insert()
      await fail(dead, failureOf(), CANCEL)
      await fail(parked, failureOf(), PARK)
      const done = (id: string) =>
        ledger.transaction(writes =>
          writes.markDone(id, { result: { receipt: 7 }, by: 'ann', reason: 'seen in the bank' }),
        )
      expect([await done(dead), await done(parked)]).toEqual([true, true])
      for (const id of [dead, parked])
        expect(await ledger.get(id)).toMatchObject({
          state: 'succeeded',
          result: { receipt: 7 },
          endedAt: time.now(),
        })
      expect((await ledger.timeline(dead)).at(-1)).toMatchObject({
        type: 'succeeded',
        data: { marked_by: 'ann', was: 'refused', reason: 'seen in the bank' },
      })
      expect(await ledger.check()).toEqual([])
      await start(running)
      // Neither what runs nor what has succeeded already.
      expect([await done(running), await done(dead), await done('op_99')]).toEqual([false, false, false])
      expect(await ledger.counts({ deadAs: 'refused' })).toMatchObject({ total: 0 })
    })

    it('a dead operation revives with fresh counters and its full history', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert()
      await fail(id, failureOf())
      await time.advance(10_000)
      await fail(id, failureOf(), snoozeUntil(time.now() + 5_000))
      await fail(id, failureOf(), CANCEL)
      const counted = { retries: 1, waits: 1, snoozes: 1, snoozedMs: 5_000, retryingMs: 10_000 }
      const dead = await ledger.get(id)
      expect(dead).toMatchObject({ state: 'dead', ...counted })
      expect(await ledger.transaction(writes => writes.revive(id))).toBe(true)
      const revived = await ledger.get(id)
      expect(revived).toMatchObject({
        state: 'scheduled',
        dueAt: time.now(),
        mode: 'again',
        retries: 0,
        waits: 0,
        snoozes: 0,
        snoozedMs: 0,
        retryingMs: 0,
        run: 3,
        attempts: 3,
      })
      for (const field of ['deadAs', 'endedAt', 'reason', 'firstFailedAt']) {
        expect(dead).toHaveProperty(field)
        expect(revived).not.toHaveProperty(field)
      }
      const data = { due_at: time.now(), was: 'refused' }
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'revived', data })
      expect(await start(id)).toBe(4)
      expect(await ledger.transaction(writes => writes.revive(id))).toBe(false)
    })

    it('a dead operation may revive later, and what is not dead does not', async () => {
      const id = await insert()
      expect(await ledger.transaction(writes => writes.revive(id))).toBe(false)
      await ledger.transaction(writes => writes.cancel(id, 'no'))
      const dueAt = time.now() + 60_000
      expect(await ledger.transaction(writes => writes.revive(id, dueAt))).toBe(true)
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', dueAt })
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ data: { due_at: dueAt, was: 'cancelled' } })
    })

    it('parking says for what and on whose account, and what waits too long expires', async () => {
      const id = await insert()
      expect(await ledger.transaction(writes => writes.expire(id, 'too long'))).toBe(false)
      const why = { for: 'runner', reason: 'nobody can' } as const
      expect(await ledger.transaction(writes => writes.park(id, why))).toBe(true)
      expect(await ledger.get(id)).toMatchObject({
        state: 'parked',
        parkedFor: 'runner',
        reason: 'nobody can',
      })
      const data = { for: 'runner', origin: 'decision', reason: 'nobody can' }
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'parked', data })
      expect(await ledger.transaction(writes => writes.park(id, why))).toBe(false)
      expect(await ledger.transaction(writes => writes.expire(id, 'too long'))).toBe(true)
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'expired', reason: 'too long' })
      expect(await ledger.get(id)).not.toHaveProperty('parkedFor')
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'dead', data: { as: 'expired' } })
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
      const data = { by: 'caller', reason: 'logged in', was: 'login' }
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'unparked', data })
      expect(await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: 'again' }))).toBe(
        false,
      )
    })

    it('edits change what waits for a person, too', async () => {
      const id = await insert()
      await fail(id, failureOf(), PARK)
      expect(await ledger.transaction(writes => writes.edit(id, { params: { n: 2 } }))).toBe(true)
      expect(await ledger.get(id)).toMatchObject({ state: 'parked', params: { n: 2 } })
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
      expect(await ledger.transaction(writes => writes.edit('op_99', { params: 3 }))).toBe(false)
    })

    it('edits keep what they do not name', async () => {
      const id = await insert({ providers: ['a', 'b'], priority: 2, dueAt: time.now() + 5_000 })
      const { params, providers, priority, dueAt } = (await ledger.get(id)) as Operation & { dueAt: number }
      await ledger.transaction(writes => writes.edit(id, { dueAt: dueAt + 1 }))
      expect(await ledger.get(id)).toMatchObject({ params, providers, priority, dueAt: dueAt + 1 })
      await ledger.transaction(writes => writes.edit(id, { params: null }))
      expect(await ledger.get(id)).toMatchObject({ params: null, providers, priority, dueAt: dueAt + 1 })
      for (const providers of [['c'], [], ['c', 'd', 'c']]) {
        await ledger.transaction(writes => writes.edit(id, { providers }))
        expect(await ledger.get(id)).toMatchObject({ providers, priority })
      }
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({
        type: 'edited',
        data: { changed: ['providers'] },
      })
      for (const priority of [11, -11, 0.5])
        await expect(ledger.transaction(writes => writes.edit(id, { priority }))).rejects.toThrow(
          `priority must be an integer from -10 to 10, not ${priority}`,
        )
      for (const priority of [10, -10]) {
        await ledger.transaction(writes => writes.edit(id, { priority }))
        expect(await ledger.get(id)).toMatchObject({ priority })
      }
      expect(await ledger.check()).toEqual([])
    })

    it('new providers end a hold, and another change only that of a job that its engine has', async () => {
      const own = await insert({ providers: ['a'] })
      const job = await insert({ capability: 'engine:bullmq/reviews' })
      await close('a')
      expect(await ledger.transaction(writes => writes.hold(job, 'engine:bullmq'))).toBe(true)
      expect(await ledger.transaction(writes => writes.hold(job, 'engine:bullmq'))).toBe(false)
      expect(await ledger.get(job)).toMatchObject({ heldBy: 'engine:bullmq' })
      for (const id of [own, job]) await ledger.transaction(writes => writes.edit(id, { priority: 1 }))
      expect(await ledger.get(own)).toMatchObject({ heldBy: 'a' })
      expect(await ledger.get(job)).not.toHaveProperty('heldBy')
      expect((await ledger.timeline(job)).map(({ type, data }) => [type, data?.by])).toEqual([
        ['submitted', undefined],
        ['held', 'engine:bullmq'],
        ['edited', undefined],
        ['freed', 'engine:bullmq'],
      ])
      await ledger.transaction(writes => writes.edit(own, { providers: ['b'] }))
      expect(await ledger.get(own)).not.toHaveProperty('heldBy')
      expect(await ledger.check()).toEqual([])
    })

    it('a job of another engine is cancelled by asking that engine once, and a run by asking its runner', async () => {
      const job = await insert({ capability: 'engine:bullmq/reviews' })
      const running = await insert()
      await start(running)
      await ledger.transaction(writes => writes.hold(job, 'engine:bullmq'))
      for (const id of [job, job, running, running])
        expect(await ledger.transaction(writes => writes.cancel(id, 'no'))).toBe('requested')
      expect(await ledger.get(job)).toMatchObject({ state: 'scheduled', dueAt: time.now() })
      expect(await ledger.get(job)).not.toHaveProperty('heldBy')
      expect(await ledger.get(running)).toMatchObject({ state: 'running', cancelRequested: true })
      for (const id of [job, running]) {
        const asked = (await ledger.timeline(id)).filter(({ type }) => type === 'cancel_requested')
        expect(asked).toMatchObject([{ data: { reason: 'no' } }])
      }
    })

    it('a request to cancel that nobody carried out does not end a revived operation', async () => {
      const job = await insert({ capability: 'engine:bullmq/reviews' })
      await ledger.transaction(writes => writes.cancel(job, 'no'))
      const reason = 'nobody has it'
      await ledger.transaction(writes => writes.park(job, { for: 'runner', reason }))
      await ledger.transaction(writes => writes.expire(job, reason))
      expect(await ledger.transaction(writes => writes.revive(job))).toBe(true)
      await start(job)
      expect(await ledger.get(job)).toMatchObject({ state: 'running', cancelRequested: false })
    })

    it('time without a runner for the capability does not count as retry time', async () => {
      const advertise = () => ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert()
      const other = await insert({ capability: 'translate' })
      await fail(id, failureOf(), LONG)
      await fail(other, failureOf(), LONG)
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
      await fail(id, failureOf(), LONG)
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
      await fail(id, failureOf(), LONG)
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
      await fail(forward, failureOf(), LONG)
      time.jump(3_600_000)
      await advertise()
      await time.advance(3_000)
      await start(forward)
      expect(await ledger.get(forward)).toMatchObject({ retryingMs: 3_000 })
      time.jump(-3_600_000)
      await advertise()
      await fail(back, failureOf(), LONG)
      await ledger.withdraw('r1')
      await time.advance(600_000)
      await start(back)
      expect(await ledger.get(back)).toMatchObject({ retryingMs: 0 })
    })

    it('only the wait for a retry counts as retry time, not a turn that comes later', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await insert({ providers: ['a'] })
      const waitMs = 10_000
      await fail(id, failureOf())
      await time.advance(waitMs)
      await close('a')
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'a', retryingMs: 0 })
      await time.advance(50_000)
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      await reopen('a')
      await time.advance(2_000)
      await start(id)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: waitMs })
    })

    it('a timeline says, if asked, when its providers were closed and free again while the operation waited', async () => {
      const id = await insert({ providers: ['a'] })
      for (const provider of ['a', 'b']) await close(provider)
      await reopen('a')
      await time.advance(1)
      await start(id)
      await time.advance(1)
      await close('a')
      const said = (await ledger.timeline(id, { providers: true })).map(({ type, data }) => [
        type,
        data?.provider,
      ])
      expect(said).toEqual([
        ['submitted', undefined],
        ['paused', 'a'],
        ['provider_freed', 'a'],
        ['resumed', 'a'],
        ['claimed', undefined],
      ])
      expect((await ledger.timeline(id)).map(({ type }) => type)).toEqual(['submitted', 'claimed'])
    })

    it('a timeline leaves out what happened to its providers while it ran, and has what happened since', async () => {
      const id = await insert({ providers: ['a'] })
      const needsNone = await insert()
      const run = await start(id)
      await time.advance(1)
      await close('a')
      await reopen('a')
      await time.advance(1)
      await ledger.transaction(writes => writes.settle({ id, run }, { verdict: RETRY }))
      await time.advance(1)
      await close('a')
      const met = async (of: string) =>
        (await ledger.timeline(of, { providers: true })).flatMap(({ type, data }) =>
          data?.provider ? [type] : [],
        )
      expect(await met(id)).toEqual(['paused'])
      await time.advance(1)
      await reopen('a')
      expect(await met(id)).toEqual(['paused', 'provider_freed', 'resumed'])
      expect(await met(needsNone)).toEqual([])
      expect(await met('op_999')).toEqual([])
    })

    it('a pause is told once, with its reason and its end, however often they change', async () => {
      const key = keys.pause('a')
      const until = time.now() + 60_000
      await ledger.providers.compareAndSet(key, 0, { at: time.now(), reason: 'too dear', until })
      await ledger.providers.compareAndSet(key, 1, { at: time.now(), reason: 'still too dear' })
      await ledger.providers.compareAndSet(keys.breaker('a'), 0, { state: 'closed', failures: 0 })
      expect((await ledger.events()).map(({ type, data }) => [type, data])).toEqual([
        ['paused', { provider: 'a', reason: 'too dear', until }],
      ])
    })

    it('an operation is held while it is due and all of its providers are closed, for the one that is free first', async () => {
      const later = await insert({ providers: ['a'], dueAt: time.now() + 1_000 })
      const pool = await insert({ providers: ['a', 'b'] })
      const free = await insert()
      const holders = async () => {
        const { items } = await ledger.list({ heldBy: 'a' })
        const { items: ofB } = await ledger.list({ heldBy: 'b' })
        const ids = (page: readonly Operation[]) => page.map(({ id }) => id)
        for (const [by, page] of [['a', items] as const, ['b', ofB] as const])
          for (const each of page) {
            expect(each).toMatchObject({ heldBy: by })
            expect(await ledger.get(each.id)).toEqual(each)
          }
        const { held, due } = await ledger.counts()
        expect(held).toBe(items.length + ofB.length)
        return { a: ids(items), b: ids(ofB), due }
      }
      await close('a')
      expect(await holders()).toEqual({ a: [], b: [], due: 2 })
      for (const id of [later, pool]) expect(await ledger.get(id)).not.toHaveProperty('heldBy')
      const until = time.now() + 5_000
      await ledger.providers.compareAndSet(keys.pause('b'), 0, { at: time.now(), until })
      expect(await holders()).toEqual({ a: [], b: [pool], due: 1 })
      await time.advance(1_000)
      expect(await holders()).toEqual({ a: [later], b: [pool], due: 1 })
      // It opens gradually: held work is not due at once.
      await reopen('a')
      expect(await holders()).toEqual({ a: [pool, later], b: [], due: 1 })
      await time.advance(20_000)
      expect(await holders()).toEqual({ a: [], b: [], due: 3 })
      await start(free)
      expect(await holders()).toEqual({ a: [], b: [], due: 2 })
    })
  })
}
