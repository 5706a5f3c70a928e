import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { insert, ledger, other, succeed, time } from './setting.ts'

/** How operations are stored, and what their keys do. */
export function operationsConformance(): void {
  describe('operations', () => {
    it('are returned as written', async () => {
      const id = await insert({
        params: { text: 'ü "quoted"', list: [1, null], deep: { a: true } },
        providers: ['a', 'b'],
        priority: -3,
        dueAt: time.now() + 5_000,
        key: 'k',
        session: 's1',
        source: 'cron',
        context: { workflow: 7 },
      })
      expect(await ledger.get(id)).toEqual({
        id,
        state: 'scheduled',
        capability: 'summarise',
        params: { text: 'ü "quoted"', list: [1, null], deep: { a: true } },
        providers: ['a', 'b'],
        priority: -3,
        dueAt: time.now() + 5_000,
        mode: 'again',
        key: 'k',
        session: 's1',
        source: 'cron',
        context: { workflow: 7 },
        createdAt: time.now(),
        updatedAt: time.now(),
        run: 0,
        attempts: 0,
        retries: 0,
        waits: 0,
        snoozes: 0,
        retryingMs: 0,
        snoozedMs: 0,
        costUsd: 0,
      })
    })

    it('continue the trace they were given, and refuse an invalid one', async () => {
      const trace = {
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        tracestate: 'vendor=t61rcWkgMzE',
      }
      const id = await insert({ trace })
      expect(await other.get(id)).toMatchObject({ trace })
      const started = await other.transaction(writes => writes.start(id))
      expect(started?.operation.trace).toEqual(trace)
      expect(await ledger.get(await insert())).not.toHaveProperty('trace')
      for (const traceparent of [
        '',
        'x',
        `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
        trace.traceparent.toUpperCase(),
      ])
        await expect(insert({ trace: { traceparent } })).rejects.toMatchObject({ code: 'invalid' })
      await expect(insert({ trace: { ...trace, tracestate: 'x'.repeat(513) } })).rejects.toMatchObject({
        code: 'invalid',
      })
    })

    it('that do not exist are undefined, whatever the id looks like', async () => {
      for (const id of ['op_1', 'op_0', 'op_-1', 'op_1.5', 'op_', 'x', '', 'op_9007199254740993'])
        expect(await ledger.get(id)).toBeUndefined()
    })

    it('can be inserted in any number and mixture, and keep their content and order', async () => {
      const some = (n: number) => (n % 5 === 0 ? { key: `k${n}` } : n % 7 === 0 ? { providers: ['p'] } : {})
      for (const count of [0, 1, 7, 8, 9, 16, 30]) {
        const given = Array.from({ length: count }, (_, n) => ({
          capability: `c${count}`,
          params: { n },
          priority: n % 3,
          ...some(n),
        }))
        const inserted = await ledger.transaction(writes => writes.insert(given))
        const read = await Promise.all(inserted.map(({ id }) => ledger.get(id)))
        expect(read).toMatchObject(given)
        const { items } = await ledger.list({ capability: `c${count}` })
        expect(items.map(({ id }) => id).reverse()).toEqual(inserted.map(({ id }) => id))
      }
      expect(await ledger.check()).toEqual([])
    })

    it('are all written or none, if one of many is invalid', async () => {
      const wrong = ledger.transaction(writes =>
        writes.insert([
          { capability: 'a', params: 1 },
          { capability: 'a', params: 1, priority: 99 },
        ]),
      )
      await expect(wrong).rejects.toMatchObject({ name: 'LedgerError', code: 'invalid' })
      expect((await ledger.counts()).total).toBe(0)
      expect(await ledger.lastEvent()).toBe(0)
    })

    it('fail independently if written at the same time', async () => {
      const results = await Promise.allSettled([
        insert({ params: 1 }),
        insert({ capability: '' }),
        insert({ params: 3 }),
      ])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect((await ledger.counts()).total).toBe(2)
    })

    it('are seen by another process', async () => {
      const id = await insert()
      expect(await other.get(id)).toMatchObject({ id, state: 'scheduled' })
    })
  })

  describe('a key', () => {
    it('with the same parameters finds the same operation, in any order of fields, even after it ended', async () => {
      const id = await insert({ key: 'k', params: { a: 1, b: { c: 2, d: 3 } } })
      expect(await insert({ key: 'k', params: { b: { d: 3, c: 2 }, a: 1 } })).toBe(id)
      await succeed(id)
      expect(await insert({ key: 'k', params: { a: 1, b: { c: 2, d: 3 } } })).toBe(id)
      expect((await ledger.find('summarise', 'k'))?.id).toBe(id)
    })

    it('with other parameters causes an error that names the operation', async () => {
      const id = await insert({ key: 'k', params: 1 })
      await expect(insert({ key: 'k', params: 2 })).rejects.toMatchObject({
        code: 'key_conflict',
        message: expect.stringContaining(id),
      })
    })

    it('that two of one call have with other parameters is refused, and no id is named: neither gets one', async () => {
      const both = [
        { capability: 'summarise', key: 'k', params: 1 },
        { capability: 'summarise', key: 'k', params: 2 },
      ]
      await expect(ledger.transaction(writes => writes.insert(both))).rejects.toMatchObject({
        code: 'key_conflict',
        message: 'the key "k" of summarise belongs to one submitted with it, which has other parameters',
      })
      expect((await ledger.counts()).total).toBe(0)
    })

    it('belongs to its capability', async () => {
      const id = await insert({ key: 'k', params: 1 })
      expect(await insert({ key: 'k', params: 2, capability: 'translate' })).not.toBe(id)
    })

    it('is free again after its retention, counted from the end', async () => {
      const id = await insert({ key: 'k', params: 1, keyRetentionMs: 60_000 })
      await time.advance(120_000)
      expect(await insert({ key: 'k', params: 1 })).toBe(id)
      await succeed(id)
      await time.advance(60_001)
      expect(await insert({ key: 'k', params: 2 })).not.toBe(id)
    })

    it('wins once if two processes use it at the same time', async () => {
      const submit = (on: Ledger) =>
        on.transaction(writes => writes.insert([{ capability: 'a', params: 1, key: 'k' }]))
      const results = (await Promise.all([submit(ledger), submit(other), submit(ledger)])).flat()
      expect(new Set(results.map(({ id }) => id)).size).toBe(1)
      expect(results.filter(({ created }) => created)).toHaveLength(1)
    })
  })
}
