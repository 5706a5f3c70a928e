import { describe, expect, it } from 'vitest'
import { answerOf } from '../../../src/ledger/writing.ts'
import { attemptOf, failureOf, RETRY } from './samples.ts'
import { fail, insert, ledger, other, start, succeed, time } from './setting.ts'

/** Events about what happened, and how consumers read them. */
export function eventsConformance(): void {
  describe('events', () => {
    it('report at the end of a run how long it took, and what all its tries cost', async () => {
      const id = await insert()
      const tried = (costUsd: number) => attemptOf(time, { failure: failureOf(), costUsd })
      const first = await start(id)
      await time.advance(4_000)
      await ledger.transaction(writes => writes.append({ id, run: first }, tried(0.25)))
      await time.advance(6_000)
      const settlement = { verdict: RETRY, attempt: tried(0.5) }
      await ledger.transaction(writes => writes.settle({ id, run: first }, settlement))
      const second = await start(id)
      await time.advance(2_000)
      await ledger.transaction(writes => writes.handBack({ id, run: second }, { reason: 'stopped' }))
      const third = await start(id)
      await time.advance(1_000)
      const attempt = attemptOf(time, { costUsd: 1 })
      await ledger.transaction(writes => writes.settle({ id, run: third }, { succeeded: true, attempt }))
      const ends = (await ledger.timeline(id)).filter(({ data }) => data && 'duration_ms' in data)
      expect(ends).toMatchObject([
        { type: 'retrying', run: 1, data: { duration_ms: 10_000, cost_usd: 0.75 } },
        { type: 'handed_back', run: 2, data: { duration_ms: 2_000 } },
        { type: 'succeeded', run: 3, data: { duration_ms: 1_000, cost_usd: 1 } },
      ])
      expect(ends[1]?.data).not.toHaveProperty('cost_usd')
    })

    it('report how long a run was due before it began, unless it began at once', async () => {
      const late = await insert()
      await time.advance(7_000)
      const first = await start(late)
      await ledger.transaction(writes => writes.settle({ id: late, run: first }, { succeeded: true }))
      expect((await ledger.timeline(late)).at(-1)?.data).toEqual({ duration_ms: 0, waited_ms: 7_000 })
      const prompt = await insert()
      const run = await start(prompt)
      await ledger.transaction(writes =>
        writes.settle({ id: prompt, run }, { verdict: RETRY, attempt: attemptOf(time) }),
      )
      expect((await ledger.timeline(prompt)).at(-1)?.data).not.toHaveProperty('waited_ms')
    })

    it('report the failure of a run that was handed back', async () => {
      const id = await insert()
      const run = await start(id)
      const attempt = attemptOf(time, { failure: failureOf({ provider: 'p' }) })
      await ledger.transaction(writes => writes.handBack({ id, run }, { attempt, reason: 'stopped' }))
      const { fingerprint } = failureOf()
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({
        type: 'handed_back',
        data: { attempt: 1, class: 'transient', kind: 'overloaded', fingerprint, provider: 'p' },
      })
    })

    it('report everything that happened to an operation, in order', async () => {
      const id = await insert()
      await insert()
      await fail(id, failureOf())
      await time.advance(10_000)
      await succeed(id)
      const types = (await ledger.timeline(id)).map(({ type }) => type)
      expect(types).toEqual(['submitted', 'claimed', 'retrying', 'claimed', 'succeeded'])
      const all = await ledger.events()
      expect(all.map(event => event.id)).toEqual([1, 2, 3, 4, 5, 6])
      expect(all.find(({ type }) => type === 'retrying')).toMatchObject({
        run: 1,
        data: { attempt: 1, class: 'transient', kind: 'overloaded', rule: 'test', reason: 'because' },
      })
    })

    it("are read from a consumer's cursor, which only one process can move", async () => {
      await insert()
      await insert()
      expect(await ledger.cursor('notice')).toBe(0)
      expect(await ledger.moveCursor('notice', 0, 1)).toBe(true)
      expect(await other.moveCursor('notice', 0, 2)).toBe(false)
      expect(await other.cursor('notice')).toBe(1)
      expect(await other.events({ after: await other.cursor('notice') })).toHaveLength(1)
      expect(await other.moveCursor('notice', 1, 2)).toBe(true)
      expect(await ledger.moveCursor('notice', 1, 2)).toBe(false)
      expect(await ledger.cursor('queue')).toBe(0)
    })

    it('move a cursor together with what is derived from them, or neither', async () => {
      await insert()
      const project = (from: number, to: number, on = ledger) =>
        on.transaction(function* (writes) {
          const isMoved = yield* answerOf(writes.moveCursor('notice', from, to))
          if (isMoved) void writes.tell('paused', { queue: true })
          return isMoved
        })
      const results = await Promise.all([project(0, 1), project(0, 1, other), project(0, 1)])
      expect(results.filter(moved => moved)).toHaveLength(1)
      expect(await ledger.events({ types: ['paused'] })).toHaveLength(1)
      const broken = ledger.transaction(writes => {
        void writes.moveCursor('notice', 1, 2)
        throw new Error('the projection failed')
      })
      await expect(broken).rejects.toThrow('the projection failed')
      expect(await other.cursor('notice')).toBe(1)
    })

    it('can be read by type and number', async () => {
      expect(await ledger.events({ types: ['claimed'] })).toEqual([])
      const id = await insert()
      await succeed(id)
      const next = await insert()
      const all = await ledger.events()
      expect(all.map(({ type }) => type)).toEqual(['submitted', 'claimed', 'succeeded', 'submitted'])
      expect(all.map(event => event.id)).toEqual(all.map(event => event.id).sort((a, b) => a - b))
      const submitted = await ledger.events({ types: ['submitted'] })
      expect(submitted.map(({ operation }) => operation)).toEqual([id, next])
      expect(await ledger.events({ types: ['submitted', 'succeeded'], limit: 2 })).toEqual([all[0], all[2]])
      expect(await ledger.events({ types: ['claimed'] })).toEqual([all[1]])
      expect(await ledger.events({ types: [] })).toEqual([])
      expect(await ledger.events({ types: ['succeeded'], after: all[1]?.id ?? 0 })).toEqual([all[2]])
      expect(await ledger.events({ types: ['succeeded'], after: all[2]?.id ?? 0 })).toEqual([])
      expect(await ledger.events({ limit: 2 })).toEqual(all.slice(0, 2))
      expect(await ledger.events({ after: all[1]?.id ?? 0 })).toEqual(all.slice(2))
      expect(await ledger.lastEvent()).toBe(all.at(-1)?.id)
    })

    it('wake listeners in this and another process', async () => {
      const heard = new Promise<void>(resolve => void other.onChange(resolve))
      const own = new Promise<void>(resolve => void ledger.onChange(resolve))
      await insert()
      await own
      // The other may wait for its poll, which runs on the clock of the test.
      await Promise.race([heard, time.advance(1_000).then(() => heard)])
      expect(await other.lastEvent()).toBe(1)
    })
  })
}
