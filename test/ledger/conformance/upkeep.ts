import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CANCEL, failureOf, PARK } from './samples.ts'
import { fail, hasFile, insert, ledger, other, succeed, time } from './setting.ts'

/** Pruning, giving space back, checking and closing. */
export function upkeepConformance(): void {
  it('knows its size, which grows with what is stored', async () => {
    const { bytes } = await ledger.size()
    expect(bytes).toBeGreaterThan(0)
    for (let n = 0; n < 20; n++) await insert({ params: { text: randomBytes(30_000).toString('base64') } })
    expect((await ledger.size()).bytes).toBeGreaterThan(bytes + 300_000)
  })

  describe('pruning', () => {
    it('deletes what ended long ago, dead operations later, and nothing that has not ended', async () => {
      const done = await insert({ key: 'k', keyRetentionMs: 0, providers: ['p'] })
      const dead = await insert()
      const waiting = await insert()
      await succeed(done)
      await fail(dead, failureOf(), CANCEL)
      await time.advance(8 * 86_400_000)
      const last = await insert()
      expect(await ledger.prune({ step: 1 })).toEqual({
        succeeded: 1,
        dead: 0,
        events: 0,
        notices: 0,
        workflows: 0,
      })
      expect(await ledger.get(done)).toBeUndefined()
      expect(await ledger.find('summarise', 'k')).toBeUndefined()
      await time.advance(23 * 86_400_000)
      expect(await ledger.prune()).toEqual({ succeeded: 0, dead: 1, events: 0, notices: 0, workflows: 0 })
      expect(await ledger.attempts(dead)).toEqual([])
      expect((await ledger.list({ text: 'overloaded' })).items).toEqual([])
      expect((await ledger.list()).items.map(({ id }) => id)).toEqual([last, waiting])
    })

    it('refuses invalid numbers to keep, or to delete at once', async () => {
      for (const policy of [{ step: 0 }, { step: 1.5 }, { keepSucceeded: -1 }, { keepDead: Number.NaN }])
        await expect(ledger.prune(policy)).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining(Object.keys(policy)[0] as string),
        })
    })

    it('keeps the given number', async () => {
      for (let i = 0; i < 5; i++) {
        await succeed(await insert())
        await time.advance(1_000)
      }
      expect(await ledger.prune({ keepSucceeded: 2 })).toEqual({
        succeeded: 3,
        dead: 0,
        events: 0,
        notices: 0,
        workflows: 0,
      })
      expect((await ledger.counts()).total).toBe(2)
    })

    it('leaves one event of a discarded operation', async () => {
      const id = await insert()
      expect(await ledger.transaction(writes => writes.discard(id))).toBe(false)
      await succeed(id)
      expect(await ledger.transaction(writes => writes.discard(id))).toBe(true)
      expect(await ledger.get(id)).toBeUndefined()
      expect(await ledger.timeline(id)).toEqual([])
      expect(await ledger.events()).toMatchObject([{ type: 'discarded', operation: id }])
      expect(await ledger.check()).toEqual([])
      expect(await insert()).not.toBe(id)
    })

    it('leaves its key and its place in lists to others when it is discarded', async () => {
      const more = { key: 'k', providers: ['a', 'b'] }
      const id = await insert(more)
      await succeed(id)
      expect(await insert(more)).toBe(id)
      await ledger.transaction(writes => writes.discard(id))
      const again = await insert(more)
      expect(again).not.toBe(id)
      expect(await ledger.find('summarise', 'k')).toMatchObject({ id: again })
      expect((await ledger.list({ provider: 'a' })).items.map(each => each.id)).toEqual([again])
      expect(await ledger.check()).toEqual([])
    })

    it('leaves the keys of all capabilities to others, and what belongs to other operations', async () => {
      const more = { key: 'k', keyRetentionMs: 0, providers: ['p'] }
      const work = ['summarise', 'translate'].map(capability => ({ capability, ...more }))
      for (const each of work) await succeed(await insert(each))
      const kept = await insert({ key: 'other', providers: ['p'] })
      await time.advance(8 * 86_400_000)
      expect(await ledger.prune()).toMatchObject({ succeeded: 2 })
      expect(await ledger.check()).toEqual([])
      const again = [await insert(work[0]), await insert(work[1])]
      expect((await ledger.list({ provider: 'p' })).items.map(({ id }) => id)).toEqual([
        ...again.reverse(),
        kept,
      ])
      expect(await ledger.find('summarise', 'other')).toMatchObject({ id: kept })
      expect(await ledger.events({ types: ['pruned'] })).toMatchObject([{ data: { operations: 2 } }])
      expect(await ledger.check()).toEqual([])
    })

    it('reuses no number when the newest is deleted, so that no cursor misses what follows', async () => {
      for (const forget of [
        (id: string) => other.transaction(writes => writes.discard(id)),
        () => other.prune({ succeededAfterMs: -1 }),
      ]) {
        const id = await insert()
        await succeed(id)
        const last = await ledger.lastEvent()
        await forget(id)
        expect(await ledger.events({ after: last })).toHaveLength(1)
      }
    })

    it('keeps operations whose key is in force, and never uses a number twice', async () => {
      await succeed(await insert({ key: 'k' }))
      const last = await insert()
      await succeed(last)
      expect(await ledger.prune({ succeededAfterMs: -1 })).toEqual({
        succeeded: 1,
        dead: 0,
        events: 0,
        notices: 0,
        workflows: 0,
      })
      expect(await insert()).not.toBe(last)
      expect((await ledger.events({ types: ['pruned'] })).map(({ data }) => data)).toEqual([
        { operations: 1 },
      ])
    })

    it("deletes old events that belong to no operation, and none from an operation's timeline", async () => {
      const kept = await insert()
      await ledger.transaction(writes => writes.tell('provider_blocked', { provider: 'p' }))
      const gone = await insert()
      await succeed(gone)
      await ledger.transaction(writes => writes.discard(gone))
      await time.advance(2_000_000)
      await ledger.transaction(writes => writes.tell('provider_freed', { provider: 'p' }))
      await succeed(kept)
      const story = await ledger.timeline(kept)
      expect(await ledger.prune({ eventsAfterMs: 1_000_000, step: 1 })).toEqual({
        succeeded: 0,
        dead: 0,
        events: 2,
        notices: 0,
        workflows: 0,
      })
      expect((await other.events()).map(({ type }) => type)).toEqual([
        'submitted',
        'provider_freed',
        'claimed',
        'succeeded',
      ])
      expect(await other.timeline(kept)).toEqual(story)
      expect(await ledger.check()).toEqual([])
      expect(await ledger.prune({ eventsAfterMs: 1_000_000 })).toMatchObject({ events: 0 })
    })

    it('keeps events that a consumer has not read, until it reads them or is removed', async () => {
      const tell = () => ledger.transaction(writes => writes.tell('paused', { queue: true }))
      const [first, second] = [await tell(), await tell()]
      await ledger.moveCursor('quick', 0, second)
      await ledger.moveCursor('slow', 0, first)
      await time.advance(100_000)
      await tell()
      const policy = { eventsAfterMs: 90_000 }
      expect(await ledger.prune(policy)).toMatchObject({ events: 1 })
      expect(await ledger.events({ after: await ledger.cursor('slow') })).toHaveLength(2)
      expect(await ledger.moveCursor('slow', first, 0)).toBe(true)
      expect(await ledger.prune(policy)).toMatchObject({ events: 1 })
      expect(await ledger.cursor('slow')).toBe(0)
      expect(await ledger.check()).toEqual([])
    })

    it('never deletes the newest event, whose number would be reused, nor one that listeners may not have read', async () => {
      const tell = () => ledger.transaction(writes => writes.tell('paused', { queue: true }))
      const [, newest] = [await tell(), await tell()]
      expect(await ledger.prune({ eventsAfterMs: -1 })).toMatchObject({ events: 0 })
      await time.advance(60_001)
      expect(await ledger.prune({ eventsAfterMs: -1 })).toMatchObject({ events: 1 })
      expect(await ledger.lastEvent()).toBe(newest)
      expect(await tell()).toBe(newest + 1)
    })

    it('stops on abort', async () => {
      await succeed(await insert())
      await insert()
      await expect(ledger.prune({ succeededAfterMs: -1 }, AbortSignal.abort('enough'))).rejects.toBe('enough')
      expect((await ledger.counts()).total).toBe(2)
    })
  })

  describe('space left by deleted operations', () => {
    /** Deletes two thousand operations of two kilobytes each, and leaves one. */
    const forgetMany = async () => {
      const kept = await insert({ params: 'kept' })
      await succeed(kept, 'done')
      const params = 'x'.repeat(2_000)
      const many = Array.from({ length: 2_000 }, () => ({ capability: 'summarise', params }))
      const made = await ledger.transaction(writes => writes.insert(many))
      await ledger.transaction(writes => void made.map(({ id }) => writes.cancel(id, 'enough')))
      expect(await ledger.prune({ deadAfterMs: -1 })).toMatchObject({ dead: 2_000 })
      return kept
    }
    const isWhole = async (kept: string) => {
      for (const each of [ledger, other]) {
        expect(await each.get(kept)).toMatchObject({ params: 'kept', result: 'done' })
        expect((await each.timeline(kept)).map(({ type }) => type)).toEqual([
          'submitted',
          'claimed',
          'succeeded',
        ])
      }
      const last = await ledger.lastEvent()
      expect(Number((await insert()).slice('op_'.length))).toBeGreaterThan(last)
      expect(await ledger.check()).toEqual([])
    }

    it('is given back step by step, until there is no more', async ({ skip }) => {
      skip(!hasFile, 'the server does it')
      const kept = await forgetMany()
      const given = other.giveBack()
      await time.advance(60_000)
      expect(await given).toBeGreaterThan(1_000_000)
      expect(await ledger.giveBack()).toBe(0)
      await isWhole(kept)
    })

    it('is not given back after an abort', async ({ skip }) => {
      skip(!hasFile, 'the server does it')
      await forgetMany()
      await expect(ledger.giveBack({}, AbortSignal.abort('enough'))).rejects.toBe('enough')
    })

    it('is given back at once by compacting, without disturbing another connection', async ({ skip }) => {
      skip(!hasFile, 'the server does it')
      const kept = await forgetMany()
      const { beforeBytes, afterBytes } = await ledger.compact()
      expect(afterBytes).toBeLessThan(beforeBytes / 2)
      expect(await other.giveBack()).toBe(0)
      await isWhole(kept)
    })

    it('is not given back by compacting while a runner is there', async ({ skip }) => {
      skip(!hasFile, 'the server does it')
      await other.advertise({ id: 'r1', capabilities: [] })
      await expect(ledger.compact()).rejects.toMatchObject({ code: 'in_use' })
      await other.withdraw('r1')
      expect(await ledger.compact()).toBeDefined()
    })
  })

  it('names what backs it up and compacts it, if a server does', async ({ skip }) => {
    skip(hasFile, 'the ledger does it itself')
    expect(await ledger.giveBack()).toBe(0)
    await expect(ledger.compact()).rejects.toMatchObject({ code: 'unsupported' })
    await expect(ledger.backup('/tmp/copy')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('pg_dump'),
    })
  })

  it('finds nothing wrong after all of the above', async () => {
    const id = await insert({ providers: ['a', 'b'], key: 'k' })
    await fail(id, failureOf())
    await time.advance(10_000)
    await fail(id, failureOf(), PARK)
    await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: 'there' }))
    await fail(id, failureOf(), CANCEL)
    await succeed(await insert())
    expect(await ledger.check()).toEqual([])
  })

  it('refuses everything once closed, and may be closed twice', async () => {
    await ledger.close()
    await ledger.close()
    await expect(insert()).rejects.toMatchObject({ code: 'closed' })
    for (const refused of [
      ledger.get('op_1'),
      ledger.list(),
      ledger.counts(),
      ledger.check(),
      ledger.prune(),
      ledger.giveBack(),
      ledger.compact(),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'closed' })
  })
}
