import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Failure } from '../../src/failure/failure.ts'
import { credentialHash } from '../../src/provider/block.ts'
import type { Caller } from '../../src/provider/caller.ts'
import { Health } from '../../src/provider/health.ts'
import type { ProviderStore, Spend } from '../../src/provider/store.ts'
import { realTime } from '../../src/time/time.ts'
import type { HealthMark } from '../../src/verdict/policy.ts'

/** A store under test, and how to close it. */
export interface StoreUnderTest {
  store: ProviderStore
  close?: () => void | Promise<void>
}

const MINUTE = 60_000
const FAILURE: Failure = {
  class: 'transient',
  kind: 'overloaded',
  effect: 'none',
  provider: 'a',
  message: 'overloaded',
  evidence: { rule: 'r', where: 'w', excerpt: '', lost: [] },
  fingerprint: 'fp1:1',
}
const spend = (scope: string, minute: number, usd: number): Spend => ({
  scope,
  at: minute * MINUTE,
  usd,
  tokens: 10,
  requests: 1,
})

/** What every store of provider state promises. Each implementation's test calls it. */
export function storeConformance(name: string, make: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  describe(`${name}, as a store of provider state`, () => {
    let store: ProviderStore
    let close: StoreUnderTest['close']

    beforeEach(async () => {
      const made = await make()
      store = made.store
      close = made.close
    })
    afterEach(async () => close?.())

    it('reads version 0 and undefined for a missing key', async () => {
      expect(await store.read('breaker/a')).toEqual({ value: undefined, version: 0 })
      expect((await store.list('')).size).toBe(0)
    })

    it('returns what was written, unchanged', async () => {
      const value = { state: 'open', until: 1_767_225_600_000, list: [1, null, 'ü'], nested: { a: false } }
      const change = await store.compareAndSet('breaker/a', 0, value)
      expect(change).toEqual({ written: true, version: 1 })
      expect(await store.read('breaker/a')).toEqual({ value, version: 1 })
    })

    it('keeps a copy: later changes to the given value have no effect', async () => {
      const value = { failures: 1 }
      await store.compareAndSet('k', 0, value)
      value.failures = 2
      const read = (await store.read('k')).value as { failures: number }
      expect(read).toEqual({ failures: 1 })
      read.failures = 3
      expect((await store.read('k')).value).toEqual({ failures: 1 })
    })

    it('refuses a change that names another version, and returns the current state', async () => {
      await store.compareAndSet('k', 0, 'first')
      expect(await store.compareAndSet('k', 0, 'late')).toEqual({
        written: false,
        current: { value: 'first', version: 1 },
      })
      expect(await store.compareAndSet('other', 3, 'never')).toMatchObject({ written: false })
      expect((await store.read('k')).value).toBe('first')
    })

    it('lets exactly one of many win a race', async () => {
      const changes = await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.compareAndSet('probe', 0, index)),
      )
      expect(changes.filter(({ written }) => written)).toHaveLength(1)
    })

    it('deletes by undefined, and never uses a version again', async () => {
      await store.compareAndSet('k', 0, 'a')
      const deleted = await store.compareAndSet('k', 1, undefined)
      expect(deleted).toMatchObject({ written: true })
      expect((await store.list('')).has('k')).toBe(false)
      const { value, version } = await store.read('k')
      expect(value).toBeUndefined()
      expect(version).toBeGreaterThan(1)
      // A process that still remembers the deleted state must not overwrite its successor.
      expect(await store.compareAndSet('k', 1, 'stale')).toMatchObject({ written: false })
      const again = await store.compareAndSet('k', version, 'b')
      expect(again).toMatchObject({ written: true })
      expect((again as { version: number }).version).toBeGreaterThan(version)
    })

    it('lists by prefix, literally', async () => {
      for (const key of ['block/a', 'block/b', 'block_c', 'blockade', 'pause/a', 'block/%', 'block/_'])
        await store.compareAndSet(key, 0, key)
      expect([...(await store.list('block/')).keys()].sort()).toEqual([
        'block/%',
        'block/_',
        'block/a',
        'block/b',
      ])
      expect([...(await store.list('block_')).keys()]).toEqual(['block_c'])
    })

    it('sums the spends of one scope and bucket, and keeps others separate', async () => {
      await store.add([spend('quota/a', 1, 0.5), spend('quota/a', 1, 0.25), spend('quota/b', 1, 3)])
      await store.add([spend('quota/a', 1, 1), spend('quota/a', 2, 2)])
      expect(await store.spent(['quota/a'], 0)).toEqual([
        { scope: 'quota/a', at: MINUTE, usd: 1.75, tokens: 30, requests: 3 },
        { scope: 'quota/a', at: 2 * MINUTE, usd: 2, tokens: 10, requests: 1 },
      ])
    })

    it('returns spends by scope and bucket, from a given time on', async () => {
      await store.add([spend('b', 3, 1), spend('a', 9, 1), spend('a', 2, 1), spend('b', 1, 1)])
      const found = await store.spent(['b', 'a', 'nobody'], 2 * MINUTE)
      expect(found.map(({ scope, at }) => `${scope}${at / MINUTE}`)).toEqual(['a2', 'a9', 'b3'])
      expect(await store.spent([], 0)).toEqual([])
    })

    it('loses none of many spends added at once', async () => {
      await Promise.all(Array.from({ length: 20 }, () => store.add([spend('a', 1, 1), spend('fleet', 1, 1)])))
      expect((await store.spent(['a', 'fleet'], 0)).map(({ requests }) => requests)).toEqual([20, 20])
    })

    it('forgets only buckets that begin before a given time', async () => {
      await store.add([spend('a', 1, 1), spend('a', 2, 1), spend('a', 3, 1)])
      await store.forget(2 * MINUTE)
      expect((await store.spent(['a'], 0)).map(({ at }) => at / MINUTE)).toEqual([2, 3])
    })

    it('carries everything a health knows over to the next process', async () => {
      const startedAt = realTime.now()
      const until = startedAt + MINUTE
      const failed = async (health: Health, mark: HealthMark, of: Partial<Failure>, caller: Caller = {}) => {
        const permit = await health.madeElsewhere('a', { ...caller, startedAt })
        permit.failed({ ...FAILURE, ...of } as Failure, mark)
      }
      const first = new Health({ store })
      const limit = { class: 'throttle', kind: 'rate_limit' } as const
      const login = { class: 'permanent', kind: 'auth' } as const
      await failed(first, { breaker: 'none', blockUntil: until }, limit)
      await failed(first, { breaker: 'none', blockUntil: 'cleared' }, login, { credential: 'key' })
      await failed(first, { breaker: 'none', blockUntil: until }, login)
      await failed(first, { breaker: 'trip' }, {}, { model: 'm/1' })
      await first.pause('a', 'why')
      await first.dispose()

      const second = new Health({ store })
      const [status] = await second.status()
      expect(status).toMatchObject({
        paused: { reason: 'why' },
        loginRefused: true,
        modelBreakers: [{ model: 'm/1', state: 'open' }],
      })
      expect(status?.blocks.map(({ scope }) => scope)).toEqual(
        expect.arrayContaining([
          { provider: 'a' },
          { provider: 'a', credential: credentialHash('key') },
          { quota: 'a' },
        ]),
      )
      // The next refusal after the block counts as the second in a row.
      const later = await second.madeElsewhere('a', { startedAt: until })
      expect(later.standing?.({ ...FAILURE, ...limit } as Failure)).toMatchObject({ strikes: 1 })
      expect(later.standing?.({ ...FAILURE, ...login } as Failure)).toMatchObject({ strikes: 1 })
      later.released()
      await second.dispose()
    })

    it('reports changes, until told to stop', async () => {
      const heard: (readonly string[] | undefined)[] = []
      let wake = () => {}
      const stop = store.onChange(keys => {
        heard.push(keys)
        wake()
      })
      const first = new Promise<void>(resolve => {
        wake = resolve
      })
      await store.compareAndSet('breaker/a', 0, 1)
      await first
      expect(heard[0] === undefined || heard[0].includes('breaker/a')).toBe(true)
      stop()
      const before = heard.length
      await store.compareAndSet('breaker/a', 1, 2)
      // The second listener hears the change, so the first would have too.
      await new Promise<void>(resolve => {
        const end = store.onChange(() => {
          end()
          resolve()
        })
        void store.compareAndSet('breaker/a', 2, 3)
      })
      expect(heard).toHaveLength(before)
    })
  })
}
