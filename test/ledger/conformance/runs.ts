import { describe, expect, it } from 'vitest'
import type { NewAttempt } from '../../../src/ledger/attempt.ts'
import type { EndingVerdict, Settlement } from '../../../src/ledger/settlement.ts'
import type { Verdict } from '../../../src/verdict/verdict.ts'
import { ABOUT, attemptOf, CANCEL, failureOf, PARK, RETRY } from './samples.ts'
import { fail, insert, ledger, other, start, succeed, time } from './setting.ts'

/** How runs begin, are fenced and end, and what each verdict does. */
export function runsConformance(): void {
  describe('a run', () => {
    it('gets the next number each time, and its operation is running', async () => {
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

    it('that succeeds keeps all that is known of its attempt', async () => {
      const usage = { inputTokens: 5, outputTokens: 7, cachedTokens: 0, cacheWriteTokens: 0 }
      const known: Partial<NewAttempt>[] = [
        { sessionId: 's1' },
        { usage },
        { note: { seen: true } },
        { verdict: CANCEL },
        { failure: failureOf(), verdict: CANCEL },
      ]
      for (const more of known) {
        const id = await insert()
        const run = await start(id)
        const attempt = attemptOf(time, more)
        await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true, attempt }))
        expect(await ledger.attempts(id)).toEqual([{ operation: id, number: 1, run, ...attempt }])
        expect(await ledger.get(id)).toMatchObject({ state: 'succeeded', attempts: 1 })
      }
    })

    it('that is answered for without a failure names who answered', async () => {
      const id = await insert()
      const run = await start(id)
      const answered = { by: 'ada', reason: 'done by hand' }
      await ledger.transaction(writes =>
        writes.settle({ id, run }, { succeeded: true, attempt: attemptOf(time), answered }),
      )
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({ type: 'succeeded', data: answered })
    })

    it('that is stale changes nothing, and the caller learns it', async () => {
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

    it('settles from its stored state, not from a write that failed', async () => {
      const id = await insert()
      const fence = { id, run: await start(id) }
      const failing = ledger.transaction(writes => {
        void writes.append(fence, attemptOf(time))
        throw new Error('not this time')
      })
      await expect(failing).rejects.toThrow('not this time')
      expect(await other.transaction(writes => writes.record(fence, { folder: '/work' }))).toBe(true)
      await ledger.transaction(writes => writes.settle(fence, { succeeded: true, attempt: attemptOf(time) }))
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

    it('of a missing operation is stale', async () => {
      const settled = await ledger.transaction(writes =>
        writes.settle({ id: 'op_77', run: 1 }, { succeeded: true }),
      )
      expect(settled).toEqual({ settled: false, stale: true, run: 0 })
    })

    it('appends attempts as they end, numbered across all runs', async () => {
      const id = await insert()
      const run = await start(id)
      const failure = failureOf({ provider: 'a' })
      await ledger.transaction(writes =>
        writes.append({ id, run }, attemptOf(time, { provider: 'a', failure, costUsd: 1 })),
      )
      await ledger.transaction(writes =>
        writes.settle({ id, run }, { verdict: RETRY, attempt: attemptOf(time, { provider: 'b', failure }) }),
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

    it('appends retries apart: those made while a caller waits, and those of the queue', async () => {
      const id = await insert()
      const run = await start(id)
      const append = (verdict: Verdict, options?: { lostRunner?: boolean }) =>
        ledger.transaction(writes =>
          writes.append({ id, run }, attemptOf(time, { failure: failureOf(), verdict }), options),
        )
      await append(RETRY)
      expect(await ledger.get(id)).toMatchObject({ retries: 1, waits: 0 })
      await append({ action: 'failover', ...ABOUT }, { lostRunner: true })
      expect(await ledger.get(id)).toMatchObject({ retries: 2, waits: 1 })
      await append({ action: 'failover', ...ABOUT })
      expect(await ledger.get(id)).toMatchObject({ attempts: 3, retries: 2, waits: 1 })
    })

    it('keeps what became known while it ran, for the runner that takes it over', async () => {
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

    it('does not return by a retry if it was cancelled while it ran', async () => {
      const id = await insert()
      const run = await start(id)
      expect(await ledger.transaction(writes => writes.cancel(id, 'no longer needed'))).toBe('requested')
      expect(await ledger.get(id)).toMatchObject({ state: 'running', cancelRequested: true })
      await ledger.transaction(writes => writes.settle({ id, run }, { verdict: RETRY }))
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
    })

    it('that succeeded despite a cancel counts as succeeded', async () => {
      const id = await insert()
      const run = await start(id)
      await ledger.transaction(writes => writes.cancel(id, 'too late'))
      await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true }))
      expect(await ledger.get(id)).toMatchObject({ state: 'succeeded' })
    })
  })

  describe('a verdict', () => {
    it('of retry schedules and counts a retry, and the wait counts as retry time', async () => {
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
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 10_000 })
    })

    it('of snooze counts a snooze and its length, not as retry time', async () => {
      const id = await insert()
      const until = time.now() + 3_600_000
      await fail(id, failureOf(), { action: 'snooze', until, mode: 'resume', ...ABOUT })
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

    it('costs what its try cost, whatever the verdict, until the operation starts again', async () => {
      const id = await insert()
      const until = time.now() + 60_000
      const costs = { costUsd: 0.25, failure: failureOf() }
      for (const verdict of [RETRY, { action: 'snooze', until, mode: 'again', ...ABOUT }, PARK] as const) {
        const run = await start(id)
        const attempt = attemptOf(time, costs)
        await ledger.transaction(writes => writes.settle({ id, run }, { verdict, attempt }))
      }
      expect(await ledger.get(id)).toMatchObject({ state: 'parked', costUsd: 0.75, attempts: 3 })
    })

    it('of a try that a policy took for a success is kept with it', async () => {
      const id = await insert()
      const run = await start(id)
      const attempt = attemptOf(time, { failure: failureOf() })
      await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true, result: 7, attempt }))
      expect(await ledger.get(id)).toMatchObject({ state: 'succeeded', result: 7 })
      expect(await ledger.attempts(id)).toMatchObject([{ failure: { kind: 'overloaded' } }])
    })

    it('of cancel ends the operation, with its reason', async () => {
      const id = await insert()
      await fail(id, failureOf(), CANCEL)
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'refused', reason: 'because' })
    })

    it('is stored with its attempt, without secrets', async () => {
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

  describe('the end of a run, as it is told', () => {
    const failure = failureOf()
    const last = async (id: string) => (await ledger.timeline(id)).at(-1)
    const settle = async (id: string, settlement: Settlement) =>
      ledger.transaction(writes => writes.settle({ id, run: 1 }, settlement))

    it('names for each verdict what it does, and when it is due again', async () => {
      const until = time.now() + 5_000
      const cases: [EndingVerdict, Record<string, unknown>, string, Record<string, unknown>][] = [
        [
          RETRY,
          { state: 'scheduled', dueAt: time.now() + 10_000 },
          'retrying',
          { due_at: time.now() + 10_000 },
        ],
        [
          { action: 'snooze', until, mode: 'again', ...ABOUT },
          { state: 'scheduled', dueAt: until },
          'snoozed',
          { due_at: until },
        ],
        [
          { action: 'park', for: 'login', origin: 'provider', ...ABOUT },
          { state: 'parked' },
          'parked',
          { for: 'login', origin: 'provider' },
        ],
        [PARK, { state: 'parked' }, 'parked', { for: 'login', origin: 'decision' }],
        [CANCEL, { state: 'dead' }, 'dead', { as: 'refused' }],
      ]
      for (const [verdict, settled, type, data] of cases) {
        const id = await insert()
        await start(id)
        const attempt = attemptOf(time, { failure, verdict, costUsd: 0.5 })
        const answer = await settle(id, { verdict, attempt })
        const told = await last(id)
        expect(answer).toEqual({ settled: true, event: told?.id, ...settled })
        const about = { attempt: 1, class: failure.class, kind: failure.kind, duration_ms: 0, cost_usd: 0.5 }
        expect(told).toMatchObject({ type, data: { ...about, rule: 'test', reason: 'because', ...data } })
        expect(await ledger.get(id)).toMatchObject({ costUsd: 0.5, reason: 'because' })
      }
      expect(await ledger.check()).toEqual([])
    })

    it('names who answered for work that failed, and keeps its session', async () => {
      const id = await insert()
      await start(id)
      const attempt = attemptOf(time, { failure, sessionId: 's1' })
      const answered = { by: 'ada', reason: 'done by hand' }
      const answer = await settle(id, {
        succeeded: true,
        result: { n: 1 },
        resultCut: true,
        attempt,
        answered,
      })
      const told = await last(id)
      expect(answer).toEqual({ settled: true, event: told?.id, state: 'succeeded' })
      expect(told).toMatchObject({ type: 'succeeded', data: { attempt: 1, kind: failure.kind, ...answered } })
      expect(await ledger.get(id)).toMatchObject({ agentSession: 's1', result: { n: 1 }, resultCut: true })
      expect(await ledger.attempts(id)).toMatchObject([{ failure: { kind: failure.kind }, sessionId: 's1' }])
    })

    it('that is no end, or is handed back, says why, and nothing is counted', async () => {
      const id = await insert()
      await start(id)
      const attempt = attemptOf(time, { failure, costUsd: 0.25 })
      const appended = await ledger.transaction(writes => writes.append({ id, run: 1 }, attempt))
      const tried = await last(id)
      expect(appended).toEqual({ settled: true, event: tried?.id, number: 1 })
      expect(tried).toMatchObject({ type: 'attempted', data: { attempt: 1, kind: failure.kind } })
      const refusal = { rule: 'gate:block', provider: 'p' }
      const handBack = { refusal, reason: 'not now', dueAt: time.now() + 7, mode: 'resume' as const, attempt }
      const answer = await ledger.transaction(writes => writes.handBack({ id, run: 1 }, handBack))
      const told = await last(id)
      expect(answer).toEqual({ settled: true, event: told?.id, state: 'scheduled', dueAt: time.now() + 7 })
      expect(told).toMatchObject({
        type: 'handed_back',
        data: { attempt: 2, refusal, reason: 'not now', cost_usd: 0.5 },
      })
      expect(await ledger.get(id)).toMatchObject({
        mode: 'resume',
        reason: 'not now',
        retries: 0,
        costUsd: 0.5,
      })
      const run = await start(id)
      await ledger.transaction(writes => writes.handBack({ id, run }))
      expect((await last(id))?.data).toEqual({ duration_ms: 0 })
      expect(await ledger.get(id)).not.toHaveProperty('reason')
    })

    it('that is handed back after a request to cancel is the end', async () => {
      const id = await insert()
      await start(id)
      await ledger.transaction(writes => writes.cancel(id, 'no'))
      const answer = await ledger.transaction(writes => writes.handBack({ id, run: 1 }))
      expect(answer).toMatchObject({ settled: true, state: 'dead' })
      expect(await ledger.get(id)).toMatchObject({ deadAs: 'cancelled', reason: 'cancelled while running' })
    })
  })
}
