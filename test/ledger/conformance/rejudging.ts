import { describe, expect, it } from 'vitest'
import type { Rejudgement } from '../../../src/ledger/rejudgement.ts'
import type { EndingVerdict } from '../../../src/ledger/settlement.ts'
import { ABOUT, attemptOf, CANCEL, failureOf, PARK, RETRY } from './samples.ts'
import { insert, ledger, other, start, time } from './setting.ts'

const UNKNOWN = failureOf({ class: 'unknown', kind: 'unknown', message: 'out of phase', effect: 'maybe' })
const { fingerprint } = UNKNOWN
const FOR_LABEL: EndingVerdict = { action: 'park', for: 'label', ...ABOUT }
const KNOWN = failureOf({ class: 'throttle', kind: 'usage_limit', message: 'out of phase', effect: 'none' })

const parked = async () => {
  const id = await insert()
  const attempt = attemptOf(time, { failure: UNKNOWN, verdict: FOR_LABEL })
  const fence = { id, run: await start(id) }
  await ledger.transaction(writes => writes.settle(fence, { verdict: FOR_LABEL, attempt }))
  return id
}
const rejudge = (id: string, more: Partial<Rejudgement> = {}, on = ledger) =>
  on.transaction(writes =>
    writes.rejudge(id, { parkedOn: { fingerprint }, verdict: RETRY, by: 'label', ...more }),
  )

/** New verdicts on parked operations, without a run. */
export function rejudgingConformance(): void {
  describe('a parked operation that is judged again', () => {
    it('is retried if the verdict says so, which counts as a retry; the time it was parked does not count', async () => {
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      const id = await parked()
      await time.advance(3_600_000)
      const dueAt = time.now() + 10_000
      expect(await rejudge(id, { failure: KNOWN })).toMatchObject({
        settled: true,
        state: 'scheduled',
        dueAt,
      })
      expect(await other.get(id)).toMatchObject({
        state: 'scheduled',
        dueAt,
        run: 1,
        attempts: 1,
        retries: 1,
        waits: 1,
        snoozes: 0,
        retryingMs: 0,
        reason: 'because',
      })
      await ledger.advertise({ id: 'r1', capabilities: ['summarise'] })
      await time.advance(12_000)
      expect(await start(id)).toBe(2)
      expect(await ledger.get(id)).toMatchObject({ retryingMs: 10_000 })
      expect(
        await ledger.transaction(writes => writes.settle({ id, run: 1 }, { succeeded: true })),
      ).toMatchObject({
        settled: false,
      })
    })

    it('snoozes until a time, which counts as a snooze of that length', async () => {
      const id = await parked()
      await time.advance(1_000)
      const until = time.now() + 3_600_000
      await rejudge(id, { verdict: { action: 'snooze', until, mode: 'resume', ...ABOUT } })
      expect(await ledger.get(id)).toMatchObject({
        state: 'scheduled',
        dueAt: until,
        mode: 'resume',
        retries: 0,
        snoozes: 1,
        snoozedMs: 3_600_000,
      })
    })

    it('is parked for something else, or ends', async () => {
      const [again, ended] = [await parked(), await parked()]
      await time.advance(1_000)
      await rejudge(again, { verdict: PARK })
      expect(await ledger.get(again)).toMatchObject({
        state: 'parked',
        parkedFor: 'login',
        parkedAt: time.now(),
      })
      await rejudge(ended, { verdict: CANCEL, by: 'config' })
      expect(await ledger.get(ended)).toMatchObject({
        state: 'dead',
        deadAs: 'refused',
        endedAt: time.now(),
      })
      const told = async (id: string) => (await ledger.timeline(id)).at(-1)
      expect(await told(again)).toMatchObject({
        type: 'parked',
        data: { for: 'login', by: 'label', was: 'label' },
      })
      expect(await told(ended)).toMatchObject({
        type: 'dead',
        data: { as: 'refused', by: 'config', was: 'label' },
      })
      expect(await ledger.check()).toEqual([])
    })

    it('names in its event the origin, what it waited for, and the new failure', async () => {
      const id = await parked()
      await rejudge(id, { failure: KNOWN })
      expect((await ledger.timeline(id)).at(-1)).toMatchObject({
        type: 'retrying',
        data: {
          by: 'label',
          was: 'label',
          class: 'throttle',
          kind: 'usage_limit',
          fingerprint,
          rule: 'test',
          reason: 'because',
        },
      })
    })

    it('shows its new failure everywhere, and notes the old classification', async () => {
      const id = await parked()
      await rejudge(id, { failure: KNOWN })
      expect(await ledger.get(id)).toMatchObject({ failure: { class: 'throttle', kind: 'usage_limit' } })
      expect(await ledger.attempts(id)).toMatchObject([
        {
          failure: { class: 'throttle', effect: 'none' },
          verdict: { action: 'retry' },
          note: {
            reclassified: {
              by: 'label',
              was: { class: 'unknown', kind: 'unknown', effect: 'maybe', verdict: 'park' },
            },
          },
        },
      ])
      expect((await ledger.list({ text: 'usage_limit' })).items).toHaveLength(1)
      expect((await ledger.list({ text: 'unknown' })).items).toHaveLength(0)
      expect((await ledger.list({ class: 'throttle' })).items).toHaveLength(1)
      expect(await ledger.check()).toEqual([])
    })

    it('remembers whether a label or the config judged it again', async () => {
      for (const by of ['label', 'config'] as const) {
        const id = await parked()
        await rejudge(id, { failure: KNOWN, by })
        expect((await ledger.timeline(id)).at(-1)).toMatchObject({ data: { by } })
        expect(await ledger.attempts(id)).toMatchObject([{ note: { reclassified: { by } } }])
      }
    })

    it('keeps its failure and attempt if no new failure is given', async () => {
      const id = await parked()
      const before = await ledger.attempts(id)
      await rejudge(id)
      expect(await ledger.attempts(id)).toEqual(before)
      expect(await ledger.get(id)).toMatchObject({ failure: { class: 'unknown' } })
    })

    it('stays unchanged if it is no longer parked on that', async () => {
      const [gone, elsewhere, moved] = [await insert(), await parked(), await parked()]
      const parks = await ledger.events({ types: ['parked'] })
      const event = parks.find(({ operation }) => operation === moved)?.id as number
      await ledger.transaction(writes => writes.unpark(moved, { by: 'person', reason: 'try' }))
      expect(await rejudge(moved)).toBeUndefined()
      const run = await start(moved)
      const attempt = attemptOf(time, { failure: UNKNOWN })
      await ledger.transaction(writes => writes.settle({ id: moved, run }, { verdict: FOR_LABEL, attempt }))
      expect(await rejudge(moved, { parkedOn: { fingerprint, event } })).toBeUndefined()
      expect(await rejudge(gone)).toBeUndefined()
      expect(await rejudge('op_99')).toBeUndefined()
      expect(await rejudge(elsewhere, { parkedOn: { fingerprint: 'fp1:other' } })).toBeUndefined()
      expect(await ledger.get(elsewhere)).toMatchObject({ state: 'parked' })
      const last = (await ledger.timeline(moved)).at(-1)?.id as number
      await ledger.transaction(writes => writes.edit(moved, { priority: 3 }))
      expect(await rejudge(moved, { parkedOn: { fingerprint, event: last } })).toMatchObject({
        settled: true,
      })
    })

    it('moves once if two processes judge it at the same time', async () => {
      const id = await parked()
      const results = await Promise.all([rejudge(id), rejudge(id, {}, other), rejudge(id)])
      expect(results.filter(result => result?.settled)).toHaveLength(1)
      expect(await ledger.get(id)).toMatchObject({ retries: 1 })
    })

    it('stores no secrets of its new verdict and failure', async () => {
      const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
      const id = await parked()
      await rejudge(id, {
        verdict: { ...CANCEL, reason: `no ${secret}` },
        failure: { ...KNOWN, message: `not ${secret}` },
      })
      const all = [await ledger.get(id), await ledger.attempts(id), await ledger.timeline(id)]
      expect(JSON.stringify(all)).not.toContain(secret)
    })
  })
}
