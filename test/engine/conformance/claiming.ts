import { describe, expect, it } from 'vitest'
import { type ClaimedRun, SKIP_FOR_MS } from '../../../src/engine/engine.ts'
import { attemptOf, failureOf, RETRY } from '../../ledger/conformance/samples.ts'
import { claim, engine, first, ids, LEASE_MS, ledger, other, submit, time } from './setting.ts'

/** Which operations are claimed, in which order, and how a run begins. */
export function claimingConformance(): void {
  describe('claiming', () => {
    it('takes due operations by priority, then time, then age', async () => {
      const late = await submit({ dueAt: time.now() - 1_000 })
      const early = await submit({ dueAt: time.now() - 2_000 })
      const same = await submit({ dueAt: time.now() - 1_000 })
      const urgent = await submit({ priority: 5 })
      const unimportant = await submit({ priority: -5, dueAt: time.now() - 9_000 })
      await submit({ dueAt: time.now() + 1, priority: 9 })
      expect(ids(await claim())).toEqual([urgent, early, late, same, unimportant])
    })

    it('orders by priority across capabilities and providers', async () => {
      const low = await submit({ capability: 'a', providers: ['p'] })
      const high = await submit({ capability: 'b', providers: ['q'], priority: 1 })
      const mid = await submit({ capability: 'b', dueAt: time.now() - 5 })
      expect(ids(await claim({ capabilities: ['a', 'b'] }))).toEqual([high, mid, low])
    })

    it('returns the running operation, its fence and its lease', async () => {
      const id = await submit({ params: { x: 1 } })
      const run = await first()
      expect(run).toMatchObject({
        operation: { id, state: 'running', run: 1, params: { x: 1 } },
        fence: { id, run: 1 },
        leaseMs: LEASE_MS,
      })
      expect(await ledger.get(id)).toEqual(run.operation)
    })

    it('returns all that is known of an operation that failed before', async () => {
      const settings = { key: 'k', session: 's', context: { c: 1 }, maxRetries: 3, retryForMs: 60_000 }
      const id = await submit({ params: { x: 1 }, providers: ['p', 'q'], priority: 2, ...settings })
      const { fence } = await first()
      const failure = failureOf({ provider: 'p', sessionId: 'agent' })
      const attempt = attemptOf(time, { provider: 'p', failure, verdict: RETRY, costUsd: 1 })
      await engine.settle(fence, { verdict: RETRY, attempt })
      await time.advance(10_000)
      const { operation } = await first()
      expect(operation).toMatchObject({ ...settings, run: 2, retries: 1, costUsd: 1, failure: {} })
      expect(await ledger.get(id)).toEqual(operation)
    })

    it('says which runner runs what, the oldest first, until it has ended', async () => {
      const [one, two, three] = [await submit(), await submit(), await submit()]
      const [mine] = await claim({ runner: 'r1', limit: 1 })
      await claim({ runner: 'r2', limit: 1 }, other.engine)
      expect(await engine.underWay(5)).toEqual([
        { operation: one, runner: 'r1', capability: 'a' },
        { operation: two, runner: 'r2', capability: 'a' },
      ])
      await claim({ runner: 'r1' })
      expect((await other.engine.underWay(2)).map(({ operation }) => operation)).toEqual([one, two])
      await engine.settle((mine as ClaimedRun).fence, { succeeded: true, attempt: attemptOf(time) })
      expect((await engine.underWay(5)).map(({ operation }) => operation)).toEqual([two, three])
    })

    it('takes only what the runner can run', async () => {
      await submit({ capability: 'b' })
      expect(await claim()).toEqual([])
      expect(await claim({ capabilities: [] })).toEqual([])
      expect(await claim({ capabilities: ['c', 'b'] })).toHaveLength(1)
    })

    it('takes at most as many as requested, and the rest later', async () => {
      for (let i = 0; i < 5; i++) await submit()
      expect(await claim({ limit: 2 })).toHaveLength(2)
      expect(await claim({ limit: 2 })).toHaveLength(2)
      expect(await claim({ limit: 2 })).toHaveLength(1)
      expect(await claim({ limit: 0 })).toEqual([])
    })

    it('never gives one operation to two runners that claim at the same time', async () => {
      for (let i = 0; i < 40; i++) await submit()
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          claim({ runner: `r${index}`, limit: 7 }, index % 2 === 0 ? engine : other.engine),
        ),
      )
      const taken = claims.flat().map(({ operation }) => operation.id)
      expect(taken).toHaveLength(40)
      expect(new Set(taken).size).toBe(40)
    })

    it('skips operations left to other runners, but not those behind them, and not forever', async () => {
      const left = [await submit(), await submit()]
      const behind = await submit()
      const skip = new Set(left)
      const request = { runner: 'r1', capabilities: ['a'], limit: 1, skip }
      const { runs } = await engine.claim(request)
      expect(ids(runs)).toEqual([behind])
      await engine.settle((runs[0] as ClaimedRun).fence, { succeeded: true, attempt: attemptOf(time) })
      const { nextAt } = await engine.claim(request)
      expect(nextAt).toBe(time.now() + SKIP_FOR_MS)
      expect(ids(await claim({ runner: 'r2', limit: 1 }))).toEqual([left[0]])
      await time.advance(SKIP_FOR_MS)
      expect(ids(await claim({ runner: 'r3', skip }, other.engine))).toContain(left[1])
    })

    it('takes over the run of a lost runner, even of a skipped operation', async () => {
      const id = await submit()
      await first()
      await claim({ runner: 'r2' }, other.engine)
      await time.advance(LEASE_MS + 1)
      expect(ids(await claim({ runner: 'r2', skip: new Set([id]) }, other.engine))).toEqual([id])
    })

    it('says when to ask again', async () => {
      await submit({ dueAt: time.now() + 7_000 })
      await submit({ dueAt: time.now() + 3_000, priority: -1 })
      expect((await engine.claim({ runner: 'r', capabilities: ['a'], limit: 1 })).nextAt).toBe(
        time.now() + 3_000,
      )
    })

    it('respects the limits of capabilities across all runners', async () => {
      for (let i = 0; i < 5; i++) await submit()
      const limits = { capabilities: { a: 3 } }
      expect(await claim({ limits, limit: 2 })).toHaveLength(2)
      const [last] = await claim({ limits, runner: 'r2' }, other.engine)
      expect(await claim({ limits })).toEqual([])
      await engine.settle(last?.fence as ClaimedRun['fence'], { succeeded: true })
      expect(await claim({ limits })).toHaveLength(1)
    })

    it('respects the limits of providers, and lets others pass', async () => {
      for (let i = 0; i < 4; i++) await submit({ providers: ['p'] })
      const free = await submit({ providers: ['q'] })
      const runs = await claim({ limits: { providers: { p: 2 } } })
      expect(runs).toHaveLength(3)
      expect(ids(runs)).toContain(free)
      expect(await claim({ limits: { providers: { p: 2 } } })).toEqual([])
    })
  })

  describe('begin', () => {
    it('writes the first run, with a lease, before any work is done', async () => {
      const { claimed } = await engine.begin(
        { capability: 'a', params: 1 },
        { runner: 'r1', leaseMs: LEASE_MS },
      )
      expect(claimed).toMatchObject({ operation: { state: 'running', run: 1 }, leaseMs: LEASE_MS })
      expect(await claim({ runner: 'r2' })).toEqual([])
      expect(await engine.settle(claimed?.fence as ClaimedRun['fence'], { succeeded: true })).toMatchObject({
        settled: true,
      })
    })

    it('finds the operation with its key', async () => {
      const operation = { capability: 'a', params: 1, key: 'k' }
      const { claimed } = await engine.begin(operation, { runner: 'r1' })
      expect(await engine.begin(operation, { runner: 'r2' })).toEqual({ existing: claimed?.operation.id })
    })

    it('is recovered like any other run when its process dies', async () => {
      const { claimed } = await engine.begin(
        { capability: 'a', params: 1 },
        { runner: 'dead', leaseMs: LEASE_MS },
      )
      await claim()
      await time.advance(LEASE_MS)
      const [run] = await claim()
      expect(run).toMatchObject({ fence: { id: claimed?.operation.id, run: 2 }, lost: { run: 1 } })
    })
  })
}
