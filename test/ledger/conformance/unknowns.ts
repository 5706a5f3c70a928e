import { describe, expect, it } from 'vitest'
import type { NewLabel } from '../../../src/ledger/label.ts'
import type { Unknown, UnknownSighting } from '../../../src/ledger/unknown.ts'
import { failureOf } from './samples.ts'
import { fail, insert, ledger, other, time } from './setting.ts'

const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
const FINGERPRINT = 'fp1:2222222222222222'
const odd = (text = 'the flux is out of phase', more: object = {}) =>
  failureOf({ class: 'unknown', kind: 'unknown', message: text, text, fingerprint: FINGERPRINT, ...more })

const see = (more: Partial<UnknownSighting> = {}) =>
  ledger.transaction(writes =>
    writes.recordUnknown({ failure: odd(), at: time.now(), outcome: 'ended', provider: 'p', ...more }),
  )
const only = async (): Promise<Unknown> => {
  const [unknown, ...more] = await other.unknown(FINGERPRINT)
  expect(more).toEqual([])
  return unknown as Unknown
}

/** Unknown failures, and their labels. */
export function unknownsConformance(): void {
  describe('an unknown', () => {
    it('exists once per fingerprint and provider, no matter how often and in which order it is seen', async () => {
      const at = time.now()
      expect(await see({ at, model: 'm1', outcome: 'parked' })).toEqual({ created: true, count: 1 })
      expect(await see({ at: at + 2_000, model: 'm2', outcome: 'failover' })).toEqual({
        created: false,
        count: 2,
      })
      expect(await see({ at: at - 1_000, model: 'm1' })).toEqual({ created: false, count: 3 })
      expect(await see({ provider: 'q' })).toEqual({ created: true, count: 1 })
      expect(await other.unknown(FINGERPRINT)).toMatchObject([
        {
          fingerprint: FINGERPRINT,
          provider: 'p',
          count: 3,
          outcomes: { parked: 1, failover: 1, ended: 1 },
          firstSeenAt: at - 1_000,
          lastSeenAt: at + 2_000,
          models: ['m1', 'm2'],
        },
        { provider: 'q', count: 1, models: [] },
      ])
      expect(await ledger.check()).toEqual([])
    })

    it('takes provider and model from the failure by default, and may have none', async () => {
      await ledger.transaction(writes =>
        writes.recordUnknown({ failure: odd('x', { provider: 'p', model: 'm' }), at: 1, outcome: 'ended' }),
      )
      expect(await only()).toMatchObject({ provider: 'p', models: ['m'] })
      const nobody = odd('y', { fingerprint: 'fp1:3' })
      await ledger.transaction(writes => writes.recordUnknown({ failure: nobody, at: 1, outcome: 'ended' }))
      expect((await ledger.unknown('fp1:3'))[0]).not.toHaveProperty('provider')
    })

    it('keeps the first sample and the last two that differ, redacted and cut', async () => {
      for (const text of ['one', 'one', 'two', 'three', 'two', `four ${SECRET}`, 'x'.repeat(10_000)])
        await see({ failure: odd(text), operation: 'op_1' })
      const { samples, count } = await only()
      expect(count).toBe(7)
      expect(samples).toHaveLength(3)
      expect(samples[0]).toMatchObject({ failure: { text: 'one' }, operation: 'op_1' })
      expect(samples[1]?.failure.text).toMatch(/^four /)
      expect(samples[2]?.failure.text).toHaveLength(8_192)
      expect(JSON.stringify(samples)).not.toContain(SECRET)
    })

    it('keeps the last ten models it was seen with', async () => {
      for (let n = 1; n <= 12; n++) await see({ model: `m${n}` })
      const { models } = await only()
      expect(models).toHaveLength(10)
      expect(models[0]).toBe('m12')
    })

    it('writes an event each time it is seen, with the count', async () => {
      await see({ operation: 'op_1', outcome: 'parked' })
      await see()
      expect((await other.events({ types: ['unknown_seen'] })).map(({ data }) => data)).toEqual([
        { fingerprint: FINGERPRINT, provider: 'p', count: 1, outcome: 'parked', operation: 'op_1' },
        { fingerprint: FINGERPRINT, provider: 'p', count: 2, outcome: 'ended' },
      ])
    })

    it('is escalated once ever, including for providers that come later', async () => {
      const escalate = (on = ledger) => on.transaction(writes => writes.markEscalated(FINGERPRINT))
      expect(await escalate()).toBe(false)
      await see()
      const answers = await Promise.all([escalate(), escalate(other), escalate()])
      expect(answers.filter(first => first)).toHaveLength(1)
      const escalatedAt = time.now()
      await time.advance(1_000)
      expect(await see({ provider: 'q' })).toMatchObject({ created: true, escalatedAt })
      expect(await escalate()).toBe(false)
      expect(await ledger.check()).toEqual([])
    })

    it('is listed by page and by filter', async () => {
      for (let n = 1; n <= 5; n++)
        await see({
          failure: odd(`text ${n}`, { fingerprint: `fp1:${n}` }),
          provider: n % 2 === 0 ? 'p' : 'q',
        })
      const first = await other.unknowns({}, { limit: 2 })
      expect(first.items.map(({ fingerprint }) => fingerprint)).toEqual(['fp1:5', 'fp1:4'])
      const rest = await other.unknowns({}, { cursor: first.next as string })
      expect(rest.items).toHaveLength(3)
      expect(rest).not.toHaveProperty('next')
      expect((await other.unknowns({ provider: 'p' })).items).toHaveLength(2)
      await ledger.transaction(writes => writes.markEscalated('fp1:3'))
      expect((await other.unknowns({ escalated: true })).items).toMatchObject([{ fingerprint: 'fp1:3' }])
      expect((await other.unknowns({ escalated: false })).items).toHaveLength(4)
      const label = { class: 'transient', who: 'ann' } as const
      await ledger.transaction(writes => void writes.addLabel({ ...label, fingerprint: 'fp1:1' }))
      await ledger.transaction(
        writes => void writes.addLabel({ ...label, fingerprint: 'fp1:2', provider: 'q' }),
      )
      expect((await other.unknowns({ labelled: true })).items).toMatchObject([{ fingerprint: 'fp1:1' }])
      expect((await other.unknowns({ labelled: false })).items).toHaveLength(4)
      await time.advance(1_000)
      await see({ failure: odd('text 2', { fingerprint: 'fp1:2' }) })
      expect((await other.unknowns({ seenFrom: time.now() })).items).toMatchObject([{ fingerprint: 'fp1:2' }])
      for (const page of [{ limit: 0 }, { cursor: 'op_1' }])
        await expect(ledger.unknowns({}, page)).rejects.toMatchObject({ code: 'invalid' })
    })

    it('shows which operations wait for it', async () => {
      const [waiting, running] = [await insert(), await insert()]
      const park = { action: 'park', for: 'label', reason: 'unknown', rule: 'test' } as const
      await fail(waiting, odd(), park)
      await fail(running, odd())
      const { items } = await other.list({ fingerprint: FINGERPRINT, parkedFor: 'label' })
      expect(items.map(({ id }) => id)).toEqual([waiting])
    })
  })

  describe('a label', () => {
    it('is returned as given, with its time', async () => {
      const given = {
        fingerprint: FINGERPRINT,
        provider: 'p',
        class: 'throttle',
        kind: 'usage_limit',
        effect: 'none',
        retryAfterMs: 3_600_000,
        signature: 'flux (is|was) out',
        who: 'ann',
        why: 'the vendor said so',
      } as const
      const { id } = await ledger.transaction(writes => writes.addLabel(given))
      expect(await other.labels()).toEqual([{ ...given, id, at: time.now() }])
      expect((await other.events({ types: ['labelled'] })).map(({ data }) => data)).toEqual([
        {
          label: id,
          fingerprint: FINGERPRINT,
          provider: 'p',
          class: 'throttle',
          kind: 'usage_limit',
          by: 'ann',
        },
      ])
    })

    it('replaces the previous one for the same provider', async () => {
      const label = { fingerprint: FINGERPRINT, class: 'transient', who: 'ann' } as const
      const first = await ledger.transaction(writes => writes.addLabel(label))
      const ofOne = await ledger.transaction(writes => writes.addLabel({ ...label, provider: 'p' }))
      const second = await ledger.transaction(writes =>
        writes.addLabel({ ...label, class: 'permanent', who: 'bob' }),
      )
      expect(second.replaced).toBe(first.id)
      expect((await other.labels()).map(({ id }) => id)).toEqual([ofOne.id, second.id])
      expect(await other.labels({ withdrawn: true })).toMatchObject([
        { id: first.id, withdrawnBy: 'bob', withdrawnAt: time.now(), replacedBy: second.id },
      ])
      expect(await other.labels({ withdrawn: 'both' })).toHaveLength(3)
      expect(await ledger.check()).toEqual([])
    })

    it('is withdrawn once, and can be added again', async () => {
      const label = { fingerprint: FINGERPRINT, class: 'transient', who: 'ann' } as const
      const { id } = await ledger.transaction(writes => writes.addLabel(label))
      const withdraw = () => ledger.transaction(writes => writes.withdrawLabel(id, 'bob'))
      expect(await withdraw()).toBe(true)
      expect(await withdraw()).toBe(false)
      expect(await ledger.transaction(writes => writes.withdrawLabel('label_99', 'bob'))).toBe(false)
      expect(await other.labels({ fingerprint: FINGERPRINT })).toEqual([])
      expect(await other.events({ types: ['label_withdrawn'] })).toMatchObject([
        { data: { label: id, fingerprint: FINGERPRINT, class: 'transient', by: 'bob' } },
      ])
      const again = await ledger.transaction(writes => writes.addLabel(label))
      expect(again).not.toHaveProperty('replaced')
      expect(await other.labels({ fingerprint: FINGERPRINT })).toHaveLength(1)
      expect(await ledger.check()).toEqual([])
    })

    it('may say that a try may have taken effect, and that no wait is needed', async () => {
      const label = { fingerprint: FINGERPRINT, class: 'transient', who: 'ann' } as const
      const given = { ...label, effect: 'maybe', retryAfterMs: 0 } as const
      await ledger.transaction(writes => writes.addLabel(given))
      expect(await other.labels()).toMatchObject([given])
    })

    it('is refused if it is invalid', async () => {
      const label = { fingerprint: FINGERPRINT, class: 'transient', who: 'ann' } as const
      for (const wrong of [
        { fingerprint: '' },
        { who: '' },
        { retryAfterMs: -1 },
        { retryAfterMs: 0.5 },
        { class: 'unknown' },
        { class: 'nonsense' },
        { kind: 'auth' },
        { effect: 'done' },
        { class: 'permanent', retryAfterMs: 1 },
      ])
        await expect(
          ledger.transaction(writes => writes.addLabel({ ...label, ...wrong } as NewLabel)),
        ).rejects.toMatchObject({ code: 'invalid' })
      expect(await ledger.labels()).toEqual([])
    })
  })
}
