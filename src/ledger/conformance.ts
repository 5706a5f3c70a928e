import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Failure } from '../failure/failure.ts'
import type { Time } from '../time/time.ts'
import type { NewAttempt } from './attempt.ts'
import type { Ledger } from './ledger.ts'
import type { NewOperation } from './operation.ts'
import type { EndingVerdict } from './settlement.ts'

/** A clock that a test moves. */
export interface TestTime extends Time {
  advance(ms: number): Promise<void>
  jump(ms: number): void
}

/** What a test of a ledger needs: the ledger on that clock, and another one on the same data, as in another process. */
export interface LedgerUnderTest {
  ledger: Ledger
  other: Ledger
  time: TestTime
  close: () => Promise<void>
}

export const failureOf = (more: Partial<Failure> = {}): Failure => ({
  class: 'transient',
  kind: 'overloaded',
  effect: 'none',
  message: 'the model is overloaded',
  evidence: { rule: 'test', where: 'message', excerpt: 'overloaded', lost: [] },
  fingerprint: 'fp1:1111111111111111',
  ...more,
})

export const attemptOf = (time: Time, more: Partial<NewAttempt> = {}): NewAttempt => ({
  startedAt: time.now(),
  endedAt: time.now(),
  ...more,
})

const about = { reason: 'because', rule: 'test' }
export const RETRY: EndingVerdict = { action: 'retry', delayMs: 10_000, mode: 'again', ...about }
export const CANCEL: EndingVerdict = { action: 'cancel', as: 'refused', ...about }
export const PARK: EndingVerdict = { action: 'park', for: 'login', ...about }

/** What every ledger promises; each implementation's test calls it. */
export function ledgerConformance(name: string, make: () => Promise<LedgerUnderTest>): void {
  describe(`${name}, as a ledger`, () => {
    let ledger: Ledger
    let other: Ledger
    let time: TestTime
    let close: () => Promise<void>

    beforeEach(async () => {
      ;({ ledger, other, time, close } = await make())
    })
    afterEach(() => close())

    const insert = async (more: Partial<NewOperation> = {}): Promise<string> => {
      const operation = { capability: 'summarise', params: { n: 1 }, ...more }
      const [inserted] = await ledger.transaction(writes => writes.insert([operation]))
      return inserted?.id as string
    }
    const start = async (id: string): Promise<number> => {
      const started = await ledger.transaction(writes => writes.start(id))
      return started?.operation.run as number
    }
    const fail = async (id: string, failure: Failure, verdict: EndingVerdict = RETRY) => {
      const run = await start(id)
      return ledger.transaction(writes =>
        writes.settle({ id, run }, { verdict, attempt: attemptOf(time, { failure }) }),
      )
    }
    const succeed = async (id: string, result?: unknown) => {
      const run = await start(id)
      return ledger.transaction(writes =>
        writes.settle({ id, run }, { succeeded: true, result, attempt: attemptOf(time) }),
      )
    }

    describe('operations', () => {
      it('are given back as they were written', async () => {
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

      it('that are not there are undefined, whatever their id looks like', async () => {
        for (const id of ['op_1', 'op_0', 'op_-1', 'op_1.5', 'op_', 'x', '', 'op_9007199254740993'])
          expect(await ledger.get(id)).toBeUndefined()
      })

      it('come in any number and mixture, each as it was given and in this order', async () => {
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

      it('are all written or none, when one of many is wrong', async () => {
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

      it('written at the same time fail alone', async () => {
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
      it('with the same parameters is the same operation, in any order of fields, also after it ended', async () => {
        const id = await insert({ key: 'k', params: { a: 1, b: { c: 2, d: 3 } } })
        expect(await insert({ key: 'k', params: { b: { d: 3, c: 2 }, a: 1 } })).toBe(id)
        await succeed(id)
        expect(await insert({ key: 'k', params: { a: 1, b: { c: 2, d: 3 } } })).toBe(id)
        expect((await ledger.find('summarise', 'k'))?.id).toBe(id)
      })

      it('with other parameters is an error that names the operation', async () => {
        const id = await insert({ key: 'k', params: 1 })
        await expect(insert({ key: 'k', params: 2 })).rejects.toMatchObject({
          code: 'key_conflict',
          message: expect.stringContaining(id),
        })
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

      it('wins once, when two processes use it at the same time', async () => {
        const submit = (on: Ledger) =>
          on.transaction(writes => writes.insert([{ capability: 'a', params: 1, key: 'k' }]))
        const results = (await Promise.all([submit(ledger), submit(other), submit(ledger)])).flat()
        expect(new Set(results.map(({ id }) => id)).size).toBe(1)
        expect(results.filter(({ created }) => created)).toHaveLength(1)
      })
    })

    describe('a run', () => {
      it('has the next number each time, and its operation is running', async () => {
        const id = await insert()
        expect(await start(id)).toBe(1)
        expect(await ledger.get(id)).toMatchObject({ state: 'running', run: 1, startedAt: time.now() })
        expect(await start(id)).toBeUndefined()
        await ledger.transaction(writes => writes.settle({ id, run: 1 }, { verdict: RETRY }))
        expect(await start(id)).toBe(2)
      })

      it('that settles writes state, attempt and one event together', async () => {
        const id = await insert()
        const run = await start(id)
        const before = await ledger.lastEvent()
        const settled = await ledger.transaction(writes =>
          writes.settle(
            { id, run },
            { succeeded: true, result: { ok: 1 }, attempt: attemptOf(time, { provider: 'a', costUsd: 0.5 }) },
          ),
        )
        expect(settled).toEqual({ settled: true, state: 'succeeded', event: before + 1 })
        expect(await ledger.get(id)).toMatchObject({
          state: 'succeeded',
          result: { ok: 1 },
          endedAt: time.now(),
          attempts: 1,
          costUsd: 0.5,
        })
        expect(await ledger.attempts(id)).toEqual([
          { operation: id, number: 1, run, ...attemptOf(time, { provider: 'a', costUsd: 0.5 }) },
        ])
        expect(await ledger.events({ after: before })).toMatchObject([
          { type: 'succeeded', operation: id, run },
        ])
      })

      it('that is stale changes nothing, and is told so', async () => {
        const id = await insert()
        const run = await start(id)
        await ledger.transaction(writes => writes.start(id, { runner: 'dead' }))
        const before = await ledger.get(id)
        const event = await ledger.lastEvent()
        const fence = { id, run }
        const stale = { settled: false, stale: true, run: 2 }
        expect(
          await ledger.transaction(writes =>
            writes.settle(fence, { succeeded: true, attempt: attemptOf(time) }),
          ),
        ).toEqual(stale)
        expect(await ledger.transaction(writes => writes.append(fence, attemptOf(time)))).toEqual(stale)
        expect(await ledger.transaction(writes => writes.handBack(fence))).toEqual(stale)
        expect(await ledger.transaction(writes => writes.record(fence, { costUsd: 1 }))).toBe(false)
        expect(await ledger.get(id)).toEqual(before)
        expect(await ledger.attempts(id)).toEqual([])
        expect(await ledger.lastEvent()).toBe(event)
      })

      it('settles as it is, and not as a write that failed would have left it', async () => {
        const id = await insert()
        const fence = { id, run: await start(id) }
        const failing = ledger.transaction(writes => {
          void writes.append(fence, attemptOf(time))
          throw new Error('not this time')
        })
        await expect(failing).rejects.toThrow('not this time')
        expect(await other.transaction(writes => writes.record(fence, { folder: '/work' }))).toBe(true)
        await ledger.transaction(writes =>
          writes.settle(fence, { succeeded: true, attempt: attemptOf(time) }),
        )
        expect(await ledger.attempts(id)).toMatchObject([{ number: 1 }])
        expect(await ledger.get(id)).toMatchObject({ state: 'succeeded', attempts: 1, folder: '/work' })
      })

      it('settles once', async () => {
        const id = await insert()
        const run = await start(id)
        const settle = () => ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true }))
        expect(await settle()).toMatchObject({ settled: true })
        expect(await settle()).toMatchObject({ settled: false, stale: true })
      })

      it('of no operation is stale', async () => {
        const settled = await ledger.transaction(writes =>
          writes.settle({ id: 'op_77', run: 1 }, { succeeded: true }),
        )
        expect(settled).toEqual({ settled: false, stale: true, run: 0 })
      })

      it('appends attempts as they end, numbered over all runs', async () => {
        const id = await insert()
        const run = await start(id)
        const failure = failureOf({ provider: 'a' })
        await ledger.transaction(writes =>
          writes.append({ id, run }, attemptOf(time, { provider: 'a', failure, costUsd: 1 })),
        )
        await ledger.transaction(writes =>
          writes.settle(
            { id, run },
            { verdict: RETRY, attempt: attemptOf(time, { provider: 'b', failure }) },
          ),
        )
        await time.advance(10_000)
        await succeed(id)
        expect(
          (await ledger.attempts(id)).map(({ number, run: of, provider }) => [number, of, provider]),
        ).toEqual([
          [1, 1, 'a'],
          [2, 1, 'b'],
          [3, 2, undefined],
        ])
        expect(await ledger.get(id)).toMatchObject({
          attempts: 3,
          costUsd: 1,
          failure: { class: 'transient' },
        })
      })

      it('keeps what became known while it ran, for whoever takes it over', async () => {
        const id = await insert()
        const run = await start(id)
        await ledger.transaction(writes => writes.record({ id, run }, { agentSession: 'as1', folder: '/w' }))
        await ledger.transaction(writes => writes.record({ id, run }, { costUsd: 0.25 }))
        const started = await ledger.transaction(writes => writes.start(id, { runner: 'r1' }))
        expect(started?.lost).toEqual({
          run: 1,
          startedAt: time.now(),
          agentSession: 'as1',
          folder: '/w',
          costUsd: 0.25,
        })
        expect(started?.operation).toMatchObject({ run: 2, agentSession: 'as1', folder: '/w' })
      })

      it('that was cancelled while it ran does not come back by a retry', async () => {
        const id = await insert()
        const run = await start(id)
        expect(await ledger.transaction(writes => writes.cancel(id, 'no longer needed'))).toBe('requested')
        expect(await ledger.get(id)).toMatchObject({ state: 'running', cancelRequested: true })
        await ledger.transaction(writes => writes.settle({ id, run }, { verdict: RETRY }))
        expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
      })

      it('that succeeded although it was cancelled has succeeded', async () => {
        const id = await insert()
        const run = await start(id)
        await ledger.transaction(writes => writes.cancel(id, 'too late'))
        await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true }))
        expect(await ledger.get(id)).toMatchObject({ state: 'succeeded' })
      })
    })

    describe('a verdict', () => {
      it('of retry schedules and counts a retry, and time spent waiting for it is retrying', async () => {
        await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
        const id = await insert()
        await fail(id, failureOf())
        expect(await ledger.get(id)).toMatchObject({
          state: 'scheduled',
          dueAt: time.now() + 10_000,
          retries: 1,
          waits: 1,
          snoozes: 0,
          firstFailedAt: time.now(),
          reason: 'because',
        })
        await time.advance(12_000)
        await start(id)
        await time.advance(60_000)
        expect(await ledger.get(id)).toMatchObject({ retryingMs: 12_000 })
      })

      it('of snooze counts a snooze and its length, and that is not retrying', async () => {
        const id = await insert()
        const until = time.now() + 3_600_000
        await fail(id, failureOf(), { action: 'snooze', until, mode: 'resume', ...about })
        expect(await ledger.get(id)).toMatchObject({
          state: 'scheduled',
          dueAt: until,
          mode: 'resume',
          retries: 0,
          snoozes: 1,
          snoozedMs: 3_600_000,
        })
        await time.advance(3_600_000)
        await start(id)
        expect(await ledger.get(id)).toMatchObject({ retryingMs: 0 })
      })

      it('of park waits for what it names', async () => {
        const id = await insert()
        await fail(id, failureOf(), PARK)
        expect(await ledger.get(id)).toMatchObject({
          state: 'parked',
          parkedFor: 'login',
          parkedAt: time.now(),
        })
      })

      it('of cancel is the end, with its reason', async () => {
        const id = await insert()
        await fail(id, failureOf(), CANCEL)
        expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'refused', reason: 'because' })
      })

      it('is kept with its attempt, without secrets', async () => {
        const id = await insert()
        const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
        await fail(id, failureOf({ message: `bad key ${secret}`, text: `Authorization: Bearer ${secret}` }), {
          ...RETRY,
          reason: `told ${secret}`,
        } as EndingVerdict)
        const stored = JSON.stringify([
          await ledger.get(id),
          await ledger.attempts(id),
          await ledger.timeline(id),
        ])
        expect(stored).not.toContain(secret)
        expect(stored).toContain('bad key')
      })
    })

    describe('without a run', () => {
      it('reasons are kept without secrets', async () => {
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

      it('a dead one revives with fresh counters and all its history', async () => {
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

      it('a parked one goes on with the counters it had', async () => {
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

      it('edits change what does not run, and nothing else', async () => {
        const id = await insert({ providers: ['a'] })
        const changes = { params: { n: 2 }, priority: 5, providers: ['b', 'c'] }
        expect(await ledger.transaction(writes => writes.edit(id, changes))).toBe(true)
        expect(await ledger.get(id)).toMatchObject(changes)
        expect((await ledger.list({ provider: 'c' })).items).toHaveLength(1)
        expect((await ledger.list({ provider: 'a' })).items).toHaveLength(0)
        await start(id)
        expect(await ledger.transaction(writes => writes.edit(id, { params: 3 }))).toBe(false)
      })

      it('time without a runner that has the capability is not retrying', async () => {
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

      it('a runner that fell silent counts until it was last heard of', async () => {
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

      it('what another runner still has goes on counting when one leaves', async () => {
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

      it('a clock that is set forward or back makes no time of waiting', async () => {
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

      it('held time is not retrying', async () => {
        await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
        const id = await insert({ providers: ['a'] })
        await fail(id, failureOf())
        await time.advance(1_000)
        await ledger.transaction(writes => writes.hold(id, 'a'))
        expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'a', retryingMs: 1_000 })
        await time.advance(50_000)
        await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
        await ledger.transaction(writes => writes.free(id))
        await time.advance(2_000)
        await start(id)
        expect(await ledger.get(id)).toMatchObject({ retryingMs: 3_000 })
      })
    })

    describe('events', () => {
      it('say at the end of a run how long it took, and what all its tries cost', async () => {
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

      it('tell everything that happened to an operation, in order', async () => {
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

      it('are read on from where a consumer was, which only one can move', async () => {
        await insert()
        await insert()
        expect(await ledger.cursor('notice')).toBe(0)
        expect(await ledger.moveCursor('notice', 0, 1)).toBe(true)
        expect(await other.moveCursor('notice', 0, 2)).toBe(false)
        expect(await other.cursor('notice')).toBe(1)
        expect(await other.events({ after: await other.cursor('notice') })).toHaveLength(1)
      })

      it('are given by type and number', async () => {
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
        expect(await ledger.events({ limit: 2 })).toEqual(all.slice(0, 2))
        expect(await ledger.events({ after: all[1]?.id ?? 0 })).toEqual(all.slice(2))
        expect(await ledger.lastEvent()).toBe(all.at(-1)?.id)
      })

      it('make listeners in this and another process look', async () => {
        const heard = new Promise<void>(resolve => void other.onChange(resolve))
        const own = new Promise<void>(resolve => void ledger.onChange(resolve))
        await insert()
        await own
        // The other may have to wait for its poll, which is on the clock of the test.
        await Promise.race([heard, time.advance(1_000).then(() => heard)])
        expect(await other.lastEvent()).toBe(1)
      })
    })

    describe('lists', () => {
      it('give pages, newest first, until there are no more', async () => {
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

      it('filter by everything there is', async () => {
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
      })

      it('find words in the texts of failures', async () => {
        const a = await insert()
        const b = await insert()
        await fail(a, failureOf({ message: 'connection reset by peer', text: 'ECONNRESET at 10.0.0.1' }))
        await time.advance(10_000)
        await fail(a, failureOf({ message: 'connection refused' }))
        await fail(b, failureOf({ message: 'quota "exceeded" for project' }))
        const ids = async (text: string) => (await ledger.list({ text })).items.map(({ id }) => id)
        expect(await ids('connection')).toEqual([a])
        expect(await ids('econnreset')).toEqual([a])
        expect(await ids('CONN RESET')).toEqual([])
        expect(await ids('quota exceed')).toEqual([b])
        expect(await ids('"exceeded"')).toEqual([b])
        expect(await ids('overloaded')).toEqual([b, a])
        expect((await ledger.counts({ text: 'connection' })).total).toBe(1)
        expect((await ledger.list({ text: 'overloaded', state: 'dead' })).items).toEqual([])
        await expect(ledger.list({ text: '  ' })).rejects.toMatchObject({ code: 'invalid' })
      })

      it('find by time of creation, also when the clock went back', async () => {
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

      it('count by state, by what they wait for or died of, and what is held', async () => {
        await insert()
        await fail(await insert(), failureOf(), PARK)
        await fail(await insert(), failureOf(), CANCEL)
        const held = await insert({ providers: ['p'] })
        await ledger.transaction(writes => writes.hold(held, 'p'))
        expect(await ledger.counts()).toEqual({
          total: 4,
          states: { scheduled: 2, running: 0, parked: 1, succeeded: 0, dead: 1 },
          parkedFor: { login: 1 },
          deadAs: { refused: 1 },
          held: 1,
          due: 1,
        })
        expect(await ledger.counts({ state: 'dead' })).toMatchObject({ total: 1 })
        expect(await ledger.counts({ heldBy: 'p' })).toMatchObject({ total: 1, held: 1 })
      })

      it('refuse a page or cursor that makes no sense', async () => {
        await expect(ledger.list({}, { limit: 0 })).rejects.toMatchObject({ code: 'invalid' })
        await expect(ledger.list({}, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid' })
      })
    })

    it('knows when the next operation is due', async () => {
      expect(await ledger.nextDueAt()).toBeUndefined()
      await insert({ dueAt: time.now() + 9_000, capability: 'a', priority: 3 })
      await insert({ dueAt: time.now() + 5_000, capability: 'b', providers: ['p'] })
      expect(await ledger.nextDueAt()).toBe(time.now() + 5_000)
    })

    it('lists runners that were seen in the last minute, with what they can run', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['a'], label: 'one' })
      await other.advertise({ id: 'r2', capabilities: ['b'] })
      expect((await ledger.runners()).map(({ id }) => id)).toEqual(['r1', 'r2'])
      await time.advance(40_000)
      await ledger.advertise({ id: 'r1', capabilities: ['a', 'c'] })
      await time.advance(40_000)
      expect(await other.runners()).toMatchObject([{ id: 'r1', capabilities: ['a', 'c'] }])
      await ledger.withdraw('r1')
      expect(await ledger.runners()).toEqual([])
    })

    it('keeps settings', async () => {
      expect(await ledger.setting('a')).toBeUndefined()
      await ledger.setSetting('a', { x: [1] })
      expect(await other.setting('a')).toEqual({ x: [1] })
      await ledger.setSetting('a', undefined)
      expect(await ledger.setting('a')).toBeUndefined()
    })

    describe('pruning', () => {
      it('forgets what ended long ago, dead ones later, and nothing that has not ended', async () => {
        const done = await insert({ key: 'k', keyRetentionMs: 0, providers: ['p'] })
        const dead = await insert()
        const waiting = await insert()
        await succeed(done)
        await fail(dead, failureOf(), CANCEL)
        await time.advance(8 * 86_400_000)
        const last = await insert()
        expect(await ledger.prune({ step: 1 })).toEqual({ succeeded: 1, dead: 0, events: 0 })
        expect(await ledger.get(done)).toBeUndefined()
        expect(await ledger.find('summarise', 'k')).toBeUndefined()
        await time.advance(23 * 86_400_000)
        expect(await ledger.prune()).toEqual({ succeeded: 0, dead: 1, events: 0 })
        expect(await ledger.attempts(dead)).toEqual([])
        expect((await ledger.list({ text: 'overloaded' })).items).toEqual([])
        expect((await ledger.list()).items.map(({ id }) => id)).toEqual([last, waiting])
      })

      it('refuses what is no number to keep or to forget at once', async () => {
        for (const policy of [{ step: 0 }, { step: 1.5 }, { keepSucceeded: -1 }, { keepDead: Number.NaN }])
          await expect(ledger.prune(policy)).rejects.toMatchObject({
            code: 'invalid',
            message: expect.stringContaining(Object.keys(policy)[0] as string),
          })
      })

      it('keeps as many as it is told to', async () => {
        for (let i = 0; i < 5; i++) {
          await succeed(await insert())
          await time.advance(1_000)
        }
        expect(await ledger.prune({ keepSucceeded: 2 })).toEqual({ succeeded: 3, dead: 0, events: 0 })
        expect((await ledger.counts()).total).toBe(2)
      })

      it('leaves one event of what a person discards', async () => {
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

      it('takes no number again when the newest is forgotten, so that no cursor misses what follows', async () => {
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

      it('leaves what a key still stands for, and never uses a number twice', async () => {
        await succeed(await insert({ key: 'k' }))
        const last = await insert()
        await succeed(last)
        expect(await ledger.prune({ succeededAfterMs: -1 })).toEqual({ succeeded: 1, dead: 0, events: 0 })
        expect(await insert()).not.toBe(last)
        expect((await ledger.events({ types: ['pruned'] })).map(({ data }) => data)).toEqual([
          { operations: 1 },
        ])
      })

      it('forgets old events that belong to no operation, and nothing of the story of one', async () => {
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

      it('keeps events that a consumer has not read, until it has or is forgotten', async () => {
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

      it('never forgets the newest event, whose number would be used again, nor one that listeners may not have read', async () => {
        const tell = () => ledger.transaction(writes => writes.tell('paused', { queue: true }))
        const [, newest] = [await tell(), await tell()]
        expect(await ledger.prune({ eventsAfterMs: -1 })).toMatchObject({ events: 0 })
        await time.advance(60_001)
        expect(await ledger.prune({ eventsAfterMs: -1 })).toMatchObject({ events: 1 })
        expect(await ledger.lastEvent()).toBe(newest)
        expect(await tell()).toBe(newest + 1)
      })

      it('stops when it is told to', async () => {
        await succeed(await insert())
        await insert()
        await expect(ledger.prune({ succeededAfterMs: -1 }, AbortSignal.abort('enough'))).rejects.toBe(
          'enough',
        )
        expect((await ledger.counts()).total).toBe(2)
      })
    })

    describe('the room that forgotten ones leave', () => {
      /** Forgets two thousand of two kilobytes each, and leaves one. */
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

      it('is given back step by step, until there is no more of it', async () => {
        const kept = await forgetMany()
        const given = other.giveBack()
        await time.advance(60_000)
        expect(await given).toBeGreaterThan(1_000_000)
        expect(await ledger.giveBack()).toBe(0)
        await isWhole(kept)
      })

      it('is given back no more once that is aborted', async () => {
        await forgetMany()
        await expect(ledger.giveBack({}, AbortSignal.abort('enough'))).rejects.toBe('enough')
      })

      it('is given back at once by compacting, of which the other hears nothing', async () => {
        const kept = await forgetMany()
        const { beforeBytes, afterBytes } = await ledger.compact()
        expect(afterBytes).toBeLessThan(beforeBytes / 2)
        expect(await other.giveBack()).toBe(0)
        await isWhole(kept)
      })

      it('is not given back by compacting while a runner is there', async () => {
        await other.advertise({ id: 'r1', capabilities: [] })
        await expect(ledger.compact()).rejects.toMatchObject({ code: 'in_use' })
        await other.withdraw('r1')
        expect(await ledger.compact()).toBeDefined()
      })
    })

    it('finds nothing wrong after everything above was done to it', async () => {
      const id = await insert({ providers: ['a', 'b'], key: 'k' })
      await fail(id, failureOf())
      await time.advance(10_000)
      await fail(id, failureOf(), PARK)
      await ledger.transaction(writes => writes.unpark(id, { by: 'caller', reason: 'there' }))
      await fail(id, failureOf(), CANCEL)
      await succeed(await insert())
      expect(await ledger.check()).toEqual([])
    })

    it('refuses everything once it is closed, and may be closed twice', async () => {
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
  })
}
