import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/failure/failure.ts'
import { present } from '../../../src/failure/present.ts'
import type { NewAttempt } from '../../../src/ledger/attempt.ts'
import { type CitizenReported, citizenCapability } from '../../../src/ledger/citizen.ts'
import type { EndingVerdict } from '../../../src/ledger/settlement.ts'
import { claim, engine, ledger, other, time } from './setting.ts'

const capability = citizenCapability('bullmq', 'reviews')
const operation = {
  capability,
  params: { prompt: 'hello' },
  key: 'job 1',
  providers: ['anthropic'],
  source: 'engine',
}
const failure: Failure = {
  class: 'unknown',
  kind: 'unknown',
  effect: 'maybe',
  message: 'flurbl',
  evidence: { rule: 'none', where: '', excerpt: 'flurbl', lost: [] },
  fingerprint: 'fp2:citizen',
}
const retry: EndingVerdict = { action: 'retry', delayMs: 1_000, mode: 'again', reason: 'busy', rule: 'r' }
const park: EndingVerdict = { action: 'park', for: 'label', reason: 'unknown', rule: 'r' }

const report = (verdict: EndingVerdict, id?: string) => {
  const attempt: NewAttempt = { startedAt: time.now(), endedAt: time.now(), failure, verdict }
  return written(engine.report({ ...present({ id }), operation, settlement: { verdict, attempt } }))
}
const written = async (report: Promise<CitizenReported | undefined>) => {
  const reported = await report
  if (!reported) throw new Error('it has succeeded')
  return reported
}
const claimed = async (by = engine) => (await claim({ capabilities: [capability] }, by))[0]

export function citizensConformance(): void {
  describe('a job of another engine', () => {
    it('is stored with its first failure, and is held by its engine, so that nobody claims it', async () => {
      const { id, settled } = await report(retry)
      expect(settled).toMatchObject({ state: 'scheduled', dueAt: time.now() + 1_000 })
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'engine:bullmq', attempts: 1 })
      await time.advance(3_600_000)
      await engine.maintain()
      await engine.block('anthropic', time.now() + 1_000)
      await engine.unblock('anthropic')
      expect(await claimed()).toBeUndefined()
      expect(await ledger.list({ engine: 'bullmq' })).toMatchObject({
        items: [{ id, heldBy: 'engine:bullmq' }],
      })
      expect((await ledger.list({ engine: 'bull' })).items).toEqual([])
    })

    it('has one operation for all its tries, and ends once', async () => {
      const { id } = await report(retry)
      expect((await report(retry, id)).id).toBe(id)
      const end = await engine.report({ id, operation, settlement: { succeeded: true, result: 42 } })
      expect(end).toMatchObject({ id, settled: { state: 'succeeded' } })
      expect(await ledger.get(id)).toMatchObject({
        state: 'succeeded',
        result: 42,
        attempts: 2,
        retries: 2,
        run: 3,
      })
      expect(await engine.report({ id, operation, settlement: { verdict: retry } })).toBeUndefined()
    })

    it('took as long as its try, although the ledger hears of it only at its end', async () => {
      const begun = time.now()
      const attemptOf = (startedAt: number) => ({ startedAt, endedAt: startedAt + 5_000 })
      await time.advance(5_000)
      const attempt = { ...attemptOf(begun), failure, verdict: retry }
      const { id } = await written(engine.report({ operation, settlement: { verdict: retry, attempt } }))
      const again = time.now()
      await time.advance(5_000)
      await engine.report({ id, operation, settlement: { succeeded: true, attempt: attemptOf(again) } })
      const lengths = (await ledger.timeline(id)).flatMap(({ data }) => data?.duration_ms ?? [])
      expect(lengths).toEqual([5_000, 5_000])
    })

    it('is found by its key, if the worker died before it could note the operation', async () => {
      const { id } = await report(retry)
      expect((await report(retry)).id).toBe(id)
      expect(await ledger.find(capability, 'job 1')).toMatchObject({ id, attempts: 2 })
    })

    it('that is parked is handed back by whoever is connected, once its cause is gone', async () => {
      const { id } = await report(park)
      expect(await claimed()).toBeUndefined()
      const parkedOn = { fingerprint: failure.fingerprint }
      await engine.rejudge(id, { parkedOn, verdict: retry, by: 'label' })
      await time.advance(1_000)
      const run = await claimed()
      expect(run?.operation).toMatchObject({ id, state: 'running' })
      const fence = run?.fence ?? { id, run: 0 }
      expect(await engine.release(fence, { heldBy: 'engine:bullmq' })).toMatchObject({ settled: true })
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'engine:bullmq' })
      expect(await claimed()).toBeUndefined()
    })

    it('that its engine starts while it is handed back is taken from whoever does', async () => {
      const { id } = await report(park)
      await engine.unpark([id], { by: 'person', reason: 'again' })
      const run = await claimed()
      expect(await other.engine.report({ id, operation, settlement: { succeeded: true } })).toMatchObject({
        settled: { state: 'succeeded' },
      })
      const fence = run?.fence ?? { id, run: 0 }
      expect(await engine.release(fence, { heldBy: 'engine:bullmq' })).toMatchObject({ stale: true })
    })

    it('that its engine starts although it is parked or dead here goes on', async () => {
      const { id } = await report(park)
      await report({ action: 'cancel', as: 'refused', reason: 'no', rule: 'r' }, id)
      expect(await ledger.get(id)).toMatchObject({ state: 'dead' })
      await report(retry, id)
      expect(await ledger.get(id)).toMatchObject({ state: 'scheduled', heldBy: 'engine:bullmq', attempts: 3 })
    })

    it('is cancelled by its engine, which is asked', async () => {
      for (const verdict of [retry, park]) {
        const { id } = await report(verdict)
        expect(await engine.cancel([id, id])).toEqual(['requested', 'requested'])
        const run = await claimed()
        expect(run?.operation).toMatchObject({ id, cancelRequested: true })
        const cancel: EndingVerdict = { action: 'cancel', as: 'cancelled', reason: 'asked', rule: 'r' }
        await engine.settle(run?.fence ?? { id, run: 0 }, { verdict: cancel })
        expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
      }
    })

    it('that ends before the request reaches it keeps its end, and one that would go on is cancelled', async () => {
      const { id } = await report(retry)
      await engine.cancel([id])
      expect((await report(retry, id)).settled).toMatchObject({ state: 'dead' })
    })

    it('that a person hastens is handed back at once', async () => {
      const { id } = await report({
        action: 'snooze',
        until: time.now() + 9_000,
        mode: 'again',
        reason: '',
        rule: '',
      })
      await engine.edit(id, { dueAt: time.now() })
      expect((await claimed())?.operation.id).toBe(id)
    })
  })
}
