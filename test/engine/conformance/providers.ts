import { describe, expect, it } from 'vitest'
import type { ClaimedRun, Engine } from '../../../src/engine/engine.ts'
import type { Failure } from '../../../src/failure/failure.ts'
import { citizenCapability } from '../../../src/ledger/citizen.ts'
import type { Operation } from '../../../src/ledger/operation.ts'
import { keys } from '../../../src/provider/keys.ts'
import { claim, engine, ids, ledger, other, submit, time } from './setting.ts'

const many = (count: number, more = {}) =>
  engine.schedule(Array.from({ length: count }, () => ({ capability: 'a', params: null, ...more })))
const serve = async (runs: readonly ClaimedRun[], provider: string, by: Engine = engine) => {
  const attempt = { startedAt: time.now(), endedAt: time.now(), provider }
  for (const { fence } of runs) await by.settle(fence, { succeeded: true, attempt })
}

const holderOf = (operation: Operation | undefined) =>
  operation && 'heldBy' in operation ? operation.heldBy : undefined

/** What blocked providers hold, and what pauses stop. */
export function providersConformance(): void {
  describe('a blocked provider', () => {
    it('holds what needs it, without trying, and is named in the hold', async () => {
      const needs = await submit({ providers: ['p'] })
      const pool = await submit({ providers: ['p', 'q'] })
      await engine.block('p', time.now() + 60_000)
      expect(ids(await claim())).toEqual([pool])
      expect(await ledger.get(needs)).toMatchObject({ state: 'scheduled', heldBy: 'p', run: 0 })
    })

    it('holds only what is due, waits in this queue and needs it, in every list', async () => {
      const running = await submit({ providers: ['p'] })
      await claim()
      const needs = await submit({ providers: ['p'] })
      const later = await submit({ providers: ['p'], dueAt: time.now() + 60_000 })
      const needsNone = await submit()
      const elsewhere = await submit({ providers: ['p'], capability: citizenCapability('bullmq', 'reviews') })
      await ledger.transaction(writes => writes.hold(elsewhere, 'engine:bullmq'))
      await engine.block('p', 'cleared')
      const held = (await ledger.list({})).items.map(each => ({ id: each.id, heldBy: holderOf(each) }))
      expect(held).toEqual([
        { id: elsewhere, heldBy: 'engine:bullmq' },
        ...[needsNone, later].map(id => ({ id, heldBy: undefined })),
        { id: needs, heldBy: 'p' },
        { id: running, heldBy: undefined },
      ])
      for (const { id, heldBy } of held) expect(holderOf(await ledger.get(id))).toBe(heldBy)
      const listed = async (heldBy: string) => (await ledger.list({ heldBy })).items.map(({ id }) => id)
      expect(await listed('p')).toEqual([needs])
      expect(await listed('engine:bullmq')).toEqual([elsewhere])
      expect(await listed('q')).toEqual([])
    })

    it('is blocked again until the same time after it was freed, and is freed only once', async () => {
      const until = time.now() + 60_000
      await engine.unblock('never')
      await engine.block('p', until)
      await engine.unblock('p')
      await engine.unblock('p')
      await engine.block('p', until)
      await submit({ providers: ['p'] })
      expect(await claim()).toEqual([])
      const events = await ledger.events({ types: ['provider_blocked', 'provider_freed'] })
      expect(events.map(({ type }) => type)).toEqual([
        'provider_blocked',
        'provider_freed',
        'provider_blocked',
      ])
    })

    it('is reported once, with cause, failure and end, no matter how many processes report it', async () => {
      const until = time.now() + 60_000
      const failure = { class: 'throttle', kind: 'usage_limit' } as Failure
      for (const each of [engine, other.engine, engine])
        await each.block('p', until, { cause: 'limit', reason: 'enough for today', failure })
      await engine.block('p', 'cleared', { cause: 'login', said: 'log in' })
      await engine.block('q', until, { cause: 'limit', isPaced: true })
      for (const each of [engine, other.engine]) await each.unblock('p')
      const events = await ledger.events({ types: ['provider_blocked', 'provider_freed'] })
      expect(events.map(({ type, data }) => ({ type, ...data }))).toEqual([
        {
          type: 'provider_blocked',
          provider: 'p',
          until,
          cause: 'limit',
          class: 'throttle',
          kind: 'usage_limit',
          reason: 'enough for today',
        },
        { type: 'provider_blocked', provider: 'p', cause: 'login', said: 'log in' },
        { type: 'provider_blocked', provider: 'q', until, cause: 'limit', paced: true },
        { type: 'provider_freed', provider: 'p' },
      ])
    })

    it('is listed with its end while it lasts', async () => {
      const until = time.now() + 60_000
      await engine.block('p', until)
      await engine.block('q', 'cleared')
      expect(await other.engine.blocks()).toEqual(
        new Map<string, unknown>([
          ['p', until],
          ['q', 'cleared'],
        ]),
      )
      for (const provider of ['p', 'q']) await engine.unblock(provider)
      expect(await engine.blocks()).toEqual(new Map())
    })

    it('lets one operation through on request, of those that it holds, and no second one', async () => {
      const first = await submit({ providers: ['p'] })
      const second = await submit({ providers: ['p'] })
      await engine.block('p', 'cleared')
      expect(await claim()).toEqual([])
      expect(await engine.letOneThrough('p')).toBe(true)
      expect(await other.engine.letOneThrough('p')).toBe(false)
      expect(ids(await claim({ limit: 5 }))).toEqual([first])
      expect(await claim()).toEqual([])
      expect(await ledger.get(second)).toMatchObject({ heldBy: 'p' })
      await engine.unblock('p')
      expect(ids(await claim())).toEqual([second])
      expect(await engine.letOneThrough('p')).toBe(false)
    })

    it('lets none through that time ends, or that is free', async () => {
      expect(await engine.letOneThrough('never')).toBe(false)
      await engine.block('p', time.now() + 60_000)
      expect(await engine.letOneThrough('p')).toBe(false)
      await engine.block('p', 'cleared')
      await engine.unblock('p')
      expect(await engine.letOneThrough('p')).toBe(false)
      await many(3, { providers: ['p'] })
      expect(await claim()).toHaveLength(1)
    })

    it('holds a pool only if all of it is blocked, for the provider that will be free first', async () => {
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

    it('lets a pool continue with any provider that is free earlier than expected', async () => {
      const id = await submit({ providers: ['p', 'q'] })
      await engine.block('p', time.now() + 10_000)
      await engine.block('q', time.now() + 60_000)
      await claim()
      expect(await ledger.get(id)).toMatchObject({ heldBy: 'p' })
      await engine.unblock('q')
      expect(ids(await claim())).toEqual([id])
    })

    it('frees an operation that gets another provider', async () => {
      const id = await submit({ providers: ['p'] })
      await engine.block('p', 'cleared')
      await claim()
      expect(await engine.edit(id, { providers: ['p', 'q'] })).toBe(true)
      expect(ids(await claim())).toEqual([id])
    })

    it('frees operations gradually, the urgent ones first', async () => {
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

    it('also starts gradually those that are due when the block ends', async () => {
      await engine.block('p', time.now() + 60_000)
      for (let i = 0; i < 10; i++) await submit({ providers: ['p'], dueAt: time.now() + 60_000 })
      await time.advance(60_000)
      expect(await claim({ limit: 100 })).toHaveLength(1)
      await time.advance(1_000)
      expect(await claim({ limit: 100 })).toHaveLength(2)
    })

    it('opens faster as it serves: two more start for each success', async () => {
      await many(100, { providers: ['p'] })
      await engine.block('p', time.now() + 60_000)
      await claim()
      await time.advance(60_000)
      const started: number[] = []
      for (let round = 0; round < 6; round++) {
        const runs = await claim({ limit: 100 }, round % 2 === 0 ? engine : other.engine)
        started.push(runs.length)
        await serve(runs, 'p', round % 3 === 0 ? engine : other.engine)
      }
      expect(started).toEqual([1, 2, 4, 8, 16, 32])
    })

    it('opens fully once it has served a thousand', async () => {
      await many(2_100, { providers: ['p'] })
      await engine.block('p', time.now() + 60_000)
      await claim()
      await time.advance(60_000)
      let served = 0
      for (let runs = await claim({ limit: 64 }); served < 1_024; runs = await claim({ limit: 64 })) {
        await serve(runs, 'p')
        served += runs.length
      }
      expect(await claim({ limit: 2_000 })).toHaveLength(2_100 - served - 64)
    })

    it('opens no faster for failures, or for runs that started before its block', async () => {
      const before = await submit({ providers: ['p'] })
      const [early] = await claim({ limit: 1 })
      expect(early?.operation.id).toBe(before)
      const attempt = { startedAt: time.now(), endedAt: time.now(), provider: 'p' }
      await many(10, { providers: ['p'] })
      await engine.block('p', time.now() + 60_000)
      await claim()
      await time.advance(60_000)
      const [first] = await claim({ limit: 100 })
      await engine.settle((early as ClaimedRun).fence, { succeeded: true, attempt })
      await engine.settle((first as ClaimedRun).fence, {
        verdict: { action: 'cancel', as: 'refused', reason: 'no', rule: 'r' },
        attempt: { ...attempt, startedAt: time.now(), endedAt: time.now() },
      })
      expect(await claim({ limit: 100 })).toEqual([])
      await time.advance(1_000)
      expect(await claim({ limit: 100 })).toHaveLength(2)
    })

    it('frees what is due by then, within the limits', async () => {
      const later = await submit({ providers: ['p'] })
      await many(5, { providers: ['p'] })
      await engine.block('p', 'cleared')
      await claim()
      await engine.edit(later, { dueAt: time.now() + 100_000 })
      await engine.unblock('p')
      await time.advance(60_000)
      expect(await claim({ limits: { providers: { p: 3 } } })).toHaveLength(3)
      expect(await claim({ limits: { capabilities: { a: 4 } } })).toHaveLength(1)
      expect(await claim({ skip: new Set([later]) })).toHaveLength(1)
      const { runs, nextAt } = await engine.claim({ runner: 'r1', capabilities: ['a'], limit: 10 })
      expect(runs).toEqual([])
      expect(nextAt).toBeLessThanOrEqual(time.now() + 40_000)
      await time.advance(40_000)
      expect(ids(await claim())).toEqual([later])
    })

    it('lets a pool use another provider that opens, once its own room is used up', async () => {
      for (const provider of ['p', 'q']) await engine.block(provider, 'cleared')
      await many(3, { providers: ['p', 'q'] })
      for (const provider of ['p', 'q']) await engine.unblock(provider)
      expect(await claim({ limit: 1 })).toHaveLength(1)
      expect(await claim({ limit: 1 })).toHaveLength(1)
      expect(await claim({ limit: 1 })).toEqual([])
    })

    it('gives no runner a reason to look again for what only others can run', async () => {
      const id = await submit({ capability: 'b', providers: ['p'] })
      await engine.block('p', time.now() + 1_000)
      await claim({ capabilities: ['b'] })
      expect(await ledger.get(id)).toMatchObject({ heldBy: 'p' })
      await time.advance(60_000)
      await claim()
      await time.advance(60_000)
      expect(await engine.claim({ runner: 'r1', capabilities: ['a'], limit: 10 })).toEqual({ runs: [] })
      expect(ids(await claim({ capabilities: ['b'] }))).toEqual([id])
    })

    it('holds nothing any more once it is fully open, whether or not anything was claimed', async () => {
      await many(450, { providers: ['p'] })
      await engine.block('p', time.now() + 1_000)
      expect((await ledger.counts({ heldBy: 'p' })).held).toBe(450)
      await time.advance(1_000)
      await claim({ limit: 1 })
      expect((await ledger.counts({ heldBy: 'p' })).held).toBe(449)
      await time.advance(60_000)
      expect(await ledger.counts()).toMatchObject({ held: 0, due: 449 })
      expect(await claim({ limit: 1_000 })).toHaveLength(449)
    })

    it('writes nothing about operations that it holds, however many and however often they are looked for', async () => {
      await many(300, { providers: ['p'] })
      await many(300, { providers: ['p', 'q'] })
      await engine.block('p', 'cleared')
      await engine.block('q', 'cleared')
      const before = await ledger.lastEvent()
      for (let i = 0; i < 3; i++) expect(await claim()).toEqual([])
      expect(await ledger.lastEvent()).toBe(before)
      expect((await ledger.counts()).held).toBe(600)
    })

    it('takes over all operations that wait for another provider and could use it, no matter how many', async () => {
      await many(1_200, { providers: ['p', 'q'] })
      const alone = await submit({ providers: ['q'] })
      await engine.block('p', 'cleared')
      await engine.block('q', time.now() + 60_000)
      await claim()
      expect((await ledger.counts({ heldBy: 'q' })).held).toBe(1_201)
      await other.engine.unblock('p')
      expect((await ledger.counts({ heldBy: 'p' })).held).toBe(1_200)
      expect(await ledger.get(alone)).toMatchObject({ heldBy: 'q' })
      expect(await claim({ limit: 2_000 })).toHaveLength(1)
      await time.advance(60_000)
      expect(await claim({ limit: 2_000 })).toHaveLength(1_200)
    })

    it('opens as fast as ever if the clock was ahead when it was freed', async () => {
      await many(20, { providers: ['p'], dueAt: time.now() - 7_200_000 })
      await engine.block('p', 'cleared')
      await engine.unblock('p')
      expect(await claim({ limit: 100 })).toHaveLength(1)
      time.jump(-3_600_000)
      await time.advance(20_000)
      expect(await claim({ limit: 100 })).toHaveLength(19)
    })

    it('is open for all after a while', async () => {
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
    it('of the queue stops all claims until it is resumed', async () => {
      await submit()
      await engine.pause({ queue: true })
      expect(await claim({}, other.engine)).toEqual([])
      expect(await other.engine.pauses()).toEqual({ queue: true, capabilities: [], providers: [] })
      await other.engine.resume({ queue: true })
      expect(await claim()).toHaveLength(1)
    })

    it('of a capability stops only its claims', async () => {
      await submit()
      const b = await submit({ capability: 'b' })
      await engine.pause({ capability: 'a' })
      expect(ids(await claim({ capabilities: ['a', 'b'] }))).toEqual([b])
      await engine.resume({ capability: 'a' })
      expect(await claim()).toHaveLength(1)
    })

    it('of a provider holds what needs it, even if its block ends meanwhile', async () => {
      const id = await submit({ providers: ['p'] })
      const key = keys.pause('p')
      await other.ledger.providers.compareAndSet(key, 0, { at: time.now() })
      await engine.block('p', time.now() + 1_000)
      await time.advance(5_000)
      expect(await claim()).toEqual([])
      expect(await ledger.get(id)).toMatchObject({ heldBy: 'p' })
      expect((await engine.pauses()).providers).toEqual(['p'])
      await other.ledger.providers.compareAndSet(key, 1, undefined)
      expect(ids(await claim())).toEqual([id])
    })

    it('of a provider that ends opens it gradually, and moves what waits for another provider to it', async () => {
      const until = time.now() + 60_000
      await ledger.providers.compareAndSet(keys.pause('p'), 0, { at: time.now(), until })
      await engine.block('q', 'cleared')
      const pool = await submit({ providers: ['q', 'p'] })
      await many(5, { providers: ['p'] })
      const { nextAt } = await engine.claim({ runner: 'r1', capabilities: ['a'], limit: 10 })
      expect(nextAt).toBe(until)
      expect((await ledger.counts({ heldBy: 'p' })).held).toBe(6)
      await ledger.providers.compareAndSet(keys.pause('p'), 1, { at: time.now(), until: until + 1 })
      await time.advance(60_000)
      expect(await claim()).toEqual([])
      await time.advance(1)
      expect(ids(await claim())).toEqual([pool])
      await time.advance(1_000)
      expect(await claim()).toHaveLength(2)
    })

    it('of a provider that is blocked leaves the block in force when it ends', async () => {
      const id = await submit({ providers: ['p'] })
      await engine.block('p', time.now() + 60_000)
      await ledger.providers.compareAndSet(keys.pause('p'), 0, { at: time.now() })
      await ledger.providers.compareAndSet(keys.pause('p'), 1, undefined)
      expect(await claim()).toEqual([])
      expect(await engine.blocks()).toEqual(new Map([['p', time.now() + 60_000]]))
      expect(await ledger.events({ types: ['provider_freed'] })).toEqual([])
      await time.advance(60_000)
      expect(ids(await claim())).toEqual([id])
    })

    it('that was over long ago does not open a provider at once when its block ends', async () => {
      await ledger.providers.compareAndSet(keys.pause('p'), 0, { at: time.now(), until: time.now() + 1_000 })
      await time.advance(60_000)
      await claim()
      await engine.block('p', 'cleared')
      await many(5, { providers: ['p'] })
      await engine.unblock('p')
      expect(await claim({ limit: 10 })).toHaveLength(1)
    })

    it('that outlasts a block opens the provider gradually when somebody ends it', async () => {
      await engine.block('p', time.now() + 1_000)
      await ledger.providers.compareAndSet(keys.pause('p'), 0, { at: time.now() })
      await many(5, { providers: ['p'] })
      await time.advance(60_000)
      expect(await claim({ limit: 10 })).toEqual([])
      await ledger.providers.compareAndSet(keys.pause('p'), 1, undefined)
      expect(await claim({ limit: 10 })).toHaveLength(1)
    })

    it('is reported in events, once', async () => {
      await engine.pause({ queue: true })
      await engine.pause({ queue: true })
      await engine.resume({ queue: true })
      await engine.resume({ queue: true })
      expect((await ledger.events()).map(({ type }) => type)).toEqual(['paused', 'resumed'])
    })
  })
}
