import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { answerOf } from '../../../src/ledger/writing.ts'
import { CANCEL, failureOf, PARK } from './samples.ts'
import { close, fail, insert, ledger, other, start, time } from './setting.ts'

/** What can be looked up: lists, counts, due operations, runners, settings. */
export function listsConformance(): void {
  describe('lists', () => {
    it('return pages, newest first, until there are no more', async () => {
      const ids: string[] = []
      for (let i = 0; i < 7; i++) ids.unshift(await insert())
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await ledger.list({}, { limit: 3, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.next
      } while (cursor !== undefined)
      expect(seen).toEqual(ids)
    })

    it('filter by everything', async () => {
      const a = await insert({ capability: 'a', providers: ['p', 'q'], session: 's' })
      const b = await insert({ capability: 'b', providers: ['q'] })
      const c = await insert({ capability: 'a' })
      await fail(
        a,
        failureOf({ class: 'throttle', kind: 'usage_limit', fingerprint: 'fp1:2222222222222222' }),
      )
      await fail(b, failureOf({ message: 'connection reset by peer' }), PARK)
      const run = await start(c)
      await ledger.transaction(writes => writes.record({ id: c, run }, { agentSession: 'as' }))
      const ids = async (filter: Parameters<Ledger['list']>[0]) =>
        (await ledger.list(filter)).items.map(({ id }) => id)
      expect(await ids({ state: 'running' })).toEqual([c])
      expect(await ids({ state: ['running', 'parked'] })).toEqual([c, b])
      expect(await ids({ capability: 'a' })).toEqual([c, a])
      expect(await ids({ capability: ['a', 'b'], state: 'scheduled' })).toEqual([a])
      expect(await ids({ provider: 'q' })).toEqual([b, a])
      expect(await ids({ provider: 'q', state: 'parked' })).toEqual([b])
      expect(await ids({ class: 'throttle' })).toEqual([a])
      expect(await ids({ class: 'throttle', kind: 'overloaded' })).toEqual([])
      expect(await ids({ kind: 'overloaded' })).toEqual([b])
      expect(await ids({ fingerprint: 'fp1:2222222222222222', capability: 'a' })).toEqual([a])
      expect(await ids({ parkedFor: 'login' })).toEqual([b])
      expect(await ids({ session: 's', provider: 'p' })).toEqual([a])
      expect(await ids({ agentSession: 'as' })).toEqual([c])
      expect(await ids({ ids: [a, c, 'op_99'], state: 'running' })).toEqual([c])
      await ledger.transaction(writes => writes.cancel(a, 'not needed'))
      expect(await ids({ deadAs: 'cancelled' })).toEqual([a])
      expect(await ids({ deadAs: 'cancelled', capability: 'b' })).toEqual([])
      expect(await ids({ deadAs: 'exhausted' })).toEqual([])
      expect((await ledger.counts({ deadAs: 'cancelled' })).total).toBe(1)
    })

    it('sort by a column, largest or smallest first, on one page', async () => {
      const b = await insert({ capability: 'b' })
      const a = await insert({ capability: 'a' })
      const b2 = await insert({ capability: 'b' })
      await time.advance(1_000)
      await fail(b, failureOf({}))
      const ids = async (page: Parameters<Ledger['list']>[1]) => {
        const { items, next } = await ledger.list({}, page)
        expect(next).toBeUndefined()
        return items.map(({ id }) => id)
      }
      expect(await ids({ sort: 'capability' })).toEqual([b2, b, a])
      expect(await ids({ sort: 'capability', ascending: true })).toEqual([a, b2, b])
      expect(await ids({ sort: 'tries', limit: 1 })).toEqual([b])
      expect(await ids({ sort: 'changed', ascending: true, limit: 2 })).not.toContain(b)
    })

    it('find words in the texts of failures', async () => {
      const a = await insert()
      const b = await insert()
      await fail(a, failureOf({ message: 'connection reset by peer', text: 'ECONNRESET at 10.0.0.1' }))
      await time.advance(10_000)
      await fail(a, failureOf({ message: 'connection refused' }))
      await fail(b, failureOf({ message: 'quota "exceeded" for project Réseau' }))
      const ids = async (text: string) => (await ledger.list({ text })).items.map(({ id }) => id)
      expect(await ids('connection')).toEqual([a])
      expect(await ids('econnreset')).toEqual([a])
      expect(await ids('CONN RESET')).toEqual([])
      expect(await ids('quota exceed')).toEqual([b])
      expect(await ids('"exceeded"')).toEqual([b])
      // With or without the accent, and however it is written.
      for (const word of ['réseau', 'RESEAU', 're\u0301seau']) expect(await ids(word)).toEqual([b])
      expect(await ids('overloaded')).toEqual([b, a])
      expect((await ledger.counts({ text: 'connection' })).total).toBe(1)
      expect((await ledger.list({ text: 'overloaded', state: 'dead' })).items).toEqual([])
      await expect(ledger.list({ text: '  ' })).rejects.toMatchObject({
        code: 'invalid',
        message: 'text must have at least one word to look for, not "  "',
      })
    })

    it('find operations by creation time, even if the clock went back', async () => {
      const begin = time.now()
      const ids: string[] = []
      for (let i = 0; i < 4; i++) {
        ids.push(await insert())
        await time.advance(1_000)
      }
      time.jump(-3_500)
      for (let i = 0; i < 3; i++) {
        ids.push(await insert())
        await time.advance(1_000)
      }
      // Created at 0, 1, 2, 3 and then at 0.5, 1.5, 2.5 seconds.
      const found = await ledger.list({ createdFrom: begin + 1_000, createdBefore: begin + 2_500 })
      expect(found.items.map(({ id }) => id)).toEqual([ids[5], ids[2], ids[1]])
      expect((await ledger.list({ createdFrom: begin + 90_000 })).items).toEqual([])
    })

    it('count by state, by what they wait for, by why they died, and by hold', async () => {
      await insert()
      await fail(await insert(), failureOf(), PARK)
      await fail(await insert(), failureOf(), CANCEL)
      await insert({ providers: ['p'] })
      await insert({ providers: ['p'], dueAt: time.now() + 1 })
      await close('p')
      expect(await ledger.counts()).toEqual({
        total: 5,
        states: { scheduled: 3, running: 0, parked: 1, succeeded: 0, dead: 1 },
        parkedFor: { login: 1 },
        deadAs: { refused: 1 },
        held: 1,
        due: 1,
      })
      expect(await ledger.counts({ state: 'dead' })).toMatchObject({ total: 1 })
      expect(await ledger.counts({ heldBy: 'p' })).toMatchObject({ total: 1, held: 1 })
    })

    it('leave out deliveries of notices, or return nothing else', async () => {
      const mine = await insert({ capability: 'a' })
      const one = await insert({ capability: 'notice:hook', providers: ['surface:hook'] })
      const two = await insert({ capability: 'notice:hook', providers: ['surface:hook'] })
      await insert({ capability: 'notices' })
      await close('surface:hook')
      const ids = async (filter: Parameters<Ledger['list']>[0]) =>
        (await ledger.list(filter)).items.map(({ id }) => id)
      expect(await ids({ deliveries: 'only' })).toEqual([two, one])
      expect(await ids({ deliveries: 'only', ids: [mine, one] })).toEqual([one])
      expect(await ids({ deliveries: 'without', state: 'scheduled' })).toHaveLength(2)
      expect(await ledger.counts({ deliveries: 'without' })).toMatchObject({ total: 2, held: 0, due: 2 })
      expect(await ledger.counts({ deliveries: 'only', provider: 'surface:hook' })).toMatchObject({
        total: 2,
        held: 2,
      })
    })

    it('refuse an invalid page or cursor', async () => {
      await expect(ledger.list({}, { limit: 0 })).rejects.toMatchObject({ code: 'invalid' })
      await expect(ledger.list({}, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid' })
    })
  })

  it('knows when the next operation is due', async () => {
    expect(await ledger.nextDueAt()).toBeUndefined()
    await insert({ dueAt: time.now() + 9_000, capability: 'a', priority: 3 })
    await insert({ dueAt: time.now() + 5_000, capability: 'b', providers: ['p'] })
    await insert({ dueAt: time.now() + 1_000, capability: 'notice:hook', providers: ['surface:hook'] })
    expect(await ledger.nextDueAt()).toBe(time.now() + 5_000)
    // What is held is not due, however long it has been waiting.
    await insert({ dueAt: time.now() - 1, capability: 'b', providers: ['p'] })
    expect(await ledger.nextDueAt()).toBe(time.now() - 1)
    await close('p')
    expect(await ledger.nextDueAt()).toBe(time.now() + 5_000)
  })

  it('counts when operations are due, and which providers others wait for', async () => {
    const from = time.now()
    await insert({ dueAt: from - 1 })
    await insert({ dueAt: from, capability: 'b', priority: 3 })
    await insert({ dueAt: from + 9_999, providers: ['p'] })
    await insert({ dueAt: from + 10_000, providers: ['p', 'q'] })
    await insert({ dueAt: from + 30_000, providers: ['p'] })
    await insert({ dueAt: from, capability: 'notice:hook', providers: ['surface:hook'] })
    await insert({ dueAt: from, providers: ['q'] })
    await close('q')
    await start(await insert())
    expect(await ledger.agenda({ from, stepMs: 10_000, steps: 3 })).toEqual({
      overdue: 1,
      due: [2, 1, 0],
      later: 1,
      held: { q: 1 },
      waiting: { p: 2 },
    })
    await expect(ledger.agenda({ from, stepMs: 10_000, steps: 0 })).rejects.toMatchObject({ code: 'invalid' })
    await expect(ledger.agenda({ from, stepMs: 0, steps: 3 })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('lists runners seen in the last minute, with their capabilities', async () => {
    await ledger.advertise({ id: 'r1', capabilities: ['a'], label: 'one' })
    await other.advertise({ id: 'r2', capabilities: ['b'] })
    const [startedAt, seenAt] = [time.now(), time.now()]
    expect(await ledger.runners()).toEqual([
      { id: 'r1', capabilities: ['a'], label: 'one', startedAt, seenAt },
      { id: 'r2', capabilities: ['b'], startedAt, seenAt },
    ])
    await time.advance(40_000)
    await ledger.advertise({ id: 'r1', capabilities: ['a', 'c'] })
    await time.advance(40_000)
    expect(await other.runners()).toMatchObject([{ id: 'r1', capabilities: ['a', 'c'] }])
    await ledger.withdraw('r1')
    expect(await ledger.runners()).toEqual([])
  })

  it('counts a runner as there until a minute after it was last seen, and a moment before it', async () => {
    await ledger.advertise({ id: 'r1', capabilities: ['a'] })
    time.jump(60_000)
    expect(await ledger.runners()).toHaveLength(1)
    time.jump(1)
    expect(await ledger.runners()).toEqual([])
    time.jump(-65_001)
    expect(await ledger.runners()).toHaveLength(1)
    time.jump(-1)
    expect(await ledger.runners()).toEqual([])
  })

  it('stores settings with everything else of a transaction, or not at all', async () => {
    const work = ledger.transaction(function* (writes) {
      yield* answerOf(writes.setSetting('b', 1))
      yield* answerOf(writes.tell('paused', { queue: true }))
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await other.setting('b')).toBeUndefined()
    await ledger.transaction(writes => writes.setSetting('b', 2))
    expect(await other.setting('b')).toBe(2)
  })

  it('stores settings', async () => {
    expect(await ledger.setting('a')).toBeUndefined()
    await ledger.setSetting('a', { x: [1] })
    expect(await other.setting('a')).toEqual({ x: [1] })
    await ledger.setSetting('a', undefined)
    expect(await ledger.setting('a')).toBeUndefined()
  })
}
