import { describe, expect, it } from 'vitest'
import type { DeliveryEnd, NewDelivery } from '../../../src/ledger/delivery.ts'
import type { NewNotice, ResolvedBy, WhileOpen } from '../../../src/ledger/notice.ts'
import { insert, ledger, other, time } from './setting.ts'

const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
const noticeOf = (more: Partial<NewNotice> = {}): NewNotice => ({
  key: 'dead:op_1',
  type: 'dead',
  priority: 'high',
  disposition: 'actionable',
  title: 'op_1 is dead',
  body: 'It was refused.',
  expiresAt: time.now() + 3_600_000,
  ...more,
})
const add = (more: Partial<NewNotice> = {}, on = ledger) =>
  on.transaction(writes => writes.addNotice(noticeOf(more)))
const deliver = (delivery: NewDelivery) => ledger.transaction(writes => writes.addDelivery(delivery))
const idsOf = async (filter: Parameters<typeof ledger.notices>[0]) =>
  (await other.notices(filter)).items.map(({ id }) => id)

/** Notices for sessions and people, and their deliveries. */
export function noticesConformance(): void {
  describe('a notice', () => {
    it('is returned as given, with its time, without secrets', async () => {
      const operation = await insert()
      const given = noticeOf({
        event: 1,
        session: 's1',
        workspace: '/work',
        operation,
        provider: 'p',
        fingerprint: 'fp1:1',
        preview: 'x'.repeat(600),
      })
      const { id } = await add(given)
      const [notice] = (await other.notices()).items
      expect(notice).toEqual({ ...given, id, createdAt: time.now(), preview: 'x'.repeat(500) })
      await add({ key: 'other', title: `t ${SECRET}`, body: `b ${SECRET}`, preview: `p ${SECRET}` })
      expect(JSON.stringify(await other.notices())).not.toContain(SECRET)
      expect(await ledger.check()).toEqual([])
    })

    it('exists once per key, no matter who adds it or how often', async () => {
      const results = await Promise.all([add(), add({}, other), add({ title: 'another' })])
      expect(new Set(results.map(({ id }) => id)).size).toBe(1)
      expect(results.filter(({ created }) => created)).toHaveLength(1)
    })

    it('is counted by its cause as long as it waits for a person', async () => {
      for (const key of ['a', 'b', 'c']) await add({ key, cause: 'database down' })
      // Without a cause, the title tells them apart.
      for (const key of ['d', 'e']) await add({ key, title: 'pay may have happened' })
      const last = await add({ key: 'f', title: 'another' })
      await add({ key: 'g', disposition: 'information' })
      await add({ key: 'h', expiresAt: time.now() })
      const seen = async () => {
        const { total, groups, largest } = await other.noticesToActOn()
        return {
          total,
          groups,
          counts: largest.map(({ count, cause, newest }) => [cause ?? newest.title, count]),
        }
      }
      expect(await seen()).toEqual({
        total: 6,
        groups: 3,
        counts: [
          ['database down', 3],
          ['pay may have happened', 2],
          ['another', 1],
        ],
      })
      const type = (await other.noticesToActOn()).largest[0]?.type as string
      expect(await other.noticesToActOn([type])).toEqual({ total: 6, groups: 0, largest: [] })
      expect((await other.noticesToActOn(['x', 'y'])).groups).toBe(3)
      const newest = (await other.noticesToActOn()).largest[0]?.newest.id as string
      const readLike = (id: string, most = 10) =>
        ledger.transaction(writes => writes.readNoticesLike(id, 'ann', most))
      expect([await readLike(newest, 2), await readLike(newest), await readLike(newest)]).toEqual([2, 1, 0])
      expect(await readLike(last.id)).toBe(1)
      expect(await readLike('notice_999')).toBe(0)
      expect(await seen()).toMatchObject({ total: 2, groups: 1, counts: [['pay may have happened', 2]] })
    })

    it('is unread until someone reads it, and records the reader; an informational notice may start as read', async () => {
      const first = await add()
      const born = await add({ key: 'b', disposition: 'information', readAt: time.now() })
      expect(await idsOf({ unread: true })).toEqual([first.id])
      const ids = [first.id, born.id, 'notice_99', 'x']
      expect(await ledger.transaction(writes => writes.readNotices(ids, 's1'))).toBe(1)
      expect(await ledger.transaction(writes => writes.readNotices(ids, 's2'))).toBe(0)
      expect((await other.notices({ ids: [first.id] })).items).toMatchObject([
        { readAt: time.now(), readBy: 's1' },
      ])
      expect(await idsOf({ unread: false })).toEqual([born.id, first.id])
    })

    it('is out of sight while it is snoozed, by itself or with its cause, and comes back', async () => {
      const one = await add({ key: 'one', title: 'one' })
      for (const key of ['a', 'b']) await add({ key, cause: 'database down' })
      const like = (await other.notices({ cause: 'database down' })).items[0]?.id as string
      const informs = await add({ key: 'i', disposition: 'information' })
      const until = time.now() + 60_000
      const snooze = (ids: readonly string[], at = until) =>
        ledger.transaction(writes => writes.snoozeNotices(ids, at))
      const snoozeLike = () => ledger.transaction(writes => writes.snoozeNoticesLike(like, until, 10))
      expect(await other.nextSnoozeEnd()).toBeUndefined()
      expect(await snooze([one.id, informs.id, 'notice_99'])).toBe(1)
      // A second press leaves it as it is.
      expect(await snooze([one.id], until + 1)).toBe(0)
      expect([await snoozeLike(), await snoozeLike()]).toEqual([2, 0])
      expect(await other.noticesToActOn()).toMatchObject({ total: 0, groups: 0 })
      expect(await idsOf({ unread: true })).toEqual([informs.id])
      expect(await idsOf({ snoozeOver: true })).toEqual([])
      expect(await other.nextSnoozeEnd()).toBe(until)
      await time.advance(60_000)
      expect(await idsOf({ snoozeOver: true })).toHaveLength(3)
      expect(await other.noticesToActOn()).toMatchObject({ total: 3, groups: 2 })
      const end = (at: number, on = ledger) => on.transaction(writes => writes.endSnooze(one.id, at))
      expect([await end(until + 1), await end(until), await end(until, other)]).toEqual([false, true, false])
      expect(await idsOf({ snoozeOver: true })).toHaveLength(2)
      expect(await ledger.check()).toEqual([])
    })

    it('may keep a session from ending without being read', async () => {
      const { id } = await add()
      const show = () => ledger.transaction(writes => writes.showNotices([id]))
      expect(await show()).toBe(1)
      expect(await show()).toBe(0)
      const [notice] = (await other.notices({ unread: true })).items
      expect(notice).toMatchObject({ id, shownAt: time.now() })
    })

    it('is resolved by what removes its cause: it needs no action any more, and stays as history', async () => {
      const operation = await insert()
      const a = (await add({ key: 'a', operation })).id
      const b = (await add({ key: 'b', type: 'down', disposition: 'information', provider: 'p' })).id
      const c = (await add({ key: 'c', type: 'unknown', fingerprint: 'fp1:1' })).id
      const d = (await add({ key: 'd', type: 'schedule_failing', cause: 'schedule:nightly' })).id
      const resolve = (which: ResolvedBy, resolution = `it works ${SECRET}`) =>
        ledger.transaction(writes => writes.resolveNotices(which, resolution))
      expect(await resolve({ operation, types: ['parked'] })).toBe(0)
      expect(await resolve({ operation, types: ['dead'] })).toBe(1)
      expect(await resolve({ operation, types: ['dead'] })).toBe(0)
      expect(await idsOf({ unread: true })).toEqual([d, c, b])
      expect(await idsOf({ unread: false })).toEqual([a])
      expect(await resolve({ provider: 'p', types: ['down', 'login'] })).toBe(1)
      expect(await resolve({ fingerprint: 'fp1:1', types: ['unknown'] })).toBe(1)
      expect(await resolve({ cause: 'schedule:daily', types: ['schedule_failing'] })).toBe(0)
      expect(await idsOf({ open: true })).toEqual([d])
      expect(await idsOf({ open: false })).toEqual([c, b, a])
      expect(await idsOf({ cause: 'schedule:nightly' })).toEqual([d])
      const [resolved] = (await other.notices({ ids: [a] })).items
      expect(resolved).toMatchObject({
        resolvedAt: time.now(),
        resolution: expect.stringMatching(/^it works/),
      })
      expect(resolved?.readAt).toBeUndefined()
      expect(JSON.stringify(await other.notices())).not.toContain(SECRET)
      expect(await ledger.check()).toEqual([])
    })

    it('is resolved with all parts of a cause', async () => {
      for (const [n, cause] of ['w:1', 'w:1:go', 'w:10', 'w:1x'].entries())
        await add({ key: `w${n}`, type: 'workflow', cause })
      const which = { causeWithin: 'w:1', types: ['workflow'] }
      expect(await ledger.transaction(writes => writes.resolveNotices(which, 'it ended'))).toBe(2)
      const open = (await other.notices({ open: true })).items
      expect(open.map(({ cause }) => cause)).toEqual(['w:1x', 'w:10'])
    })

    it('that only informs and was resolved is kept for a day', async () => {
      const expiresAt = time.now() + 30 * 86_400_000
      await add({ key: 'a', type: 'down', disposition: 'information', provider: 'p', expiresAt })
      await add({ key: 'b', type: 'login', provider: 'p', expiresAt })
      await ledger.transaction(writes =>
        writes.resolveNotices({ provider: 'p', types: ['down', 'login'] }, 'x'),
      )
      expect((await other.notices()).items.map(notice => notice.expiresAt)).toEqual([
        expiresAt,
        time.now() + 86_400_000,
      ])
    })

    it('exists once per type and cause while it is open, if so asked, and may get new words', async () => {
      const addOnce = (key: string, whileOpen: WhileOpen, more: Partial<NewNotice> = {}) =>
        ledger.transaction(writes => writes.addNotice(noticeOf({ key, cause: 'c', ...more }), whileOpen))
      const first = await addOnce('a', 'keep')
      expect(first.created).toBe(true)
      expect(await addOnce('b', 'keep', { title: 'again' })).toEqual({ id: first.id, created: false })
      expect((await addOnce('c', 'keep', { type: 'login' })).created).toBe(true)
      const { id: delivery } = await deliver({ notice: first.id, surface: 'slack' })
      const outdated = async () => (await other.deliveries({ outdated: true })).items
      expect(await addOnce('d', 'update', { title: noticeOf().title })).toMatchObject({ created: false })
      expect(await outdated()).toEqual([])
      expect(await addOnce('e', 'update', { title: 'worse' })).toEqual({ id: first.id, created: false })
      expect((await other.notices({ ids: [first.id] })).items).toMatchObject([{ title: 'worse' }])
      expect(await outdated()).toMatchObject([{ id: delivery, outdatedAt: time.now() }])
      await ledger.transaction(writes => writes.resolveNotices({ cause: 'c', types: ['dead'] }, 'fixed'))
      const second = await addOnce('f', 'keep')
      expect(second.created).toBe(true)
      expect(second.id).not.toBe(first.id)
    })

    it('can be found by recipient and subject', async () => {
      const operation = await insert()
      const a = (await add({ key: 'a', session: 's1', workspace: '/w', operation })).id
      const b = (await add({ key: 'b', session: 's2', workspace: '/w', priority: 'low', provider: 'p' })).id
      const c = (await add({ key: 'c', type: 'login', disposition: 'information', fingerprint: 'fp1:1' })).id
      expect(await idsOf({})).toEqual([c, b, a])
      expect(await idsOf({ session: 's1' })).toEqual([a])
      expect(await idsOf({ workspace: '/w' })).toEqual([b, a])
      expect(await idsOf({ disposition: 'information' })).toEqual([c])
      expect(await idsOf({ priority: ['low', 'urgent'] })).toEqual([b])
      expect(await idsOf({ type: 'login' })).toEqual([c])
      expect(await idsOf({ type: [] })).toEqual([])
      expect(await idsOf({ operation })).toEqual([a])
      expect(await idsOf({ provider: 'p' })).toEqual([b])
      expect(await idsOf({ fingerprint: 'fp1:1' })).toEqual([c])
      const page = await other.notices({}, { limit: 2 })
      expect(page.next).toBe(b)
      expect((await other.notices({}, { cursor: b })).items.map(({ id }) => id)).toEqual([a])
    })

    it('expires, and is pruned with its deliveries; its number is never used again', async () => {
      const { id } = await add({ expiresAt: time.now() + 60_000 })
      const kept = await add({ key: 'kept', expiresAt: time.now() + 600_000 })
      const { id: delivery } = await deliver({ notice: id, surface: 'slack' })
      await ledger.transaction(writes => writes.settleDelivery(delivery, { delivered: true }))
      expect(await ledger.prune()).toMatchObject({ notices: 0 })
      await time.advance(60_000)
      expect(await idsOf({})).toEqual([kept.id])
      expect(await idsOf({ expired: true })).toEqual([kept.id, id])
      expect(await ledger.prune({ step: 1 })).toMatchObject({ notices: 1 })
      expect(await idsOf({ expired: true })).toEqual([kept.id])
      expect((await other.deliveries()).items).toEqual([])
      await time.advance(600_000)
      expect(await ledger.prune()).toMatchObject({ notices: 1 })
      expect([id, kept.id]).not.toContain((await add()).id)
      expect(await ledger.check()).toEqual([])
    })

    it('stays while a delivery is pending, but not forever', async () => {
      const { id } = await add({ expiresAt: time.now() + 60_000 })
      await deliver({ notice: id, surface: 'slack' })
      await time.advance(86_400_000)
      expect(await ledger.prune()).toMatchObject({ notices: 0 })
      await time.advance(30 * 86_400_000)
      expect(await ledger.prune()).toMatchObject({ notices: 1 })
      expect((await other.deliveries()).items).toEqual([])
    })

    it('is refused if it is invalid', async () => {
      for (const wrong of [{ key: '' }, { title: '' }, { expiresAt: Number.NaN }])
        await expect(add(wrong)).rejects.toMatchObject({ code: 'invalid' })
    })
  })

  describe('a delivery', () => {
    it('exists once per notice and surface, and ends once', async () => {
      const operation = await insert()
      const { id: notice } = await add({ fingerprint: 'fp1:1' })
      const first = await deliver({ notice, surface: 'tracker', operation })
      expect(first.created).toBe(true)
      expect(await deliver({ notice, surface: 'tracker' })).toEqual({ id: first.id, created: false })
      const second = await deliver({ notice, surface: 'slack' })
      expect((await other.deliveries()).items.map(({ id }) => id)).toEqual([second.id, first.id])
      expect((await other.deliveries({ operation })).items).toEqual([
        { id: first.id, notice, surface: 'tracker', operation, state: 'pending', createdAt: time.now() },
      ])
      await time.advance(1_000)
      const reference = 'https://example.com/issues/7'
      const settle = (id: string, end: DeliveryEnd) =>
        ledger.transaction(writes => writes.settleDelivery(id, end))
      expect(await settle(first.id, { delivered: true, reference })).toBe(true)
      expect(await settle(first.id, { delivered: false, reason: 'no' })).toBe(false)
      expect(await settle(second.id, { delivered: false, reason: `no ${SECRET}` })).toBe(true)
      expect((await other.deliveries({ fingerprint: 'fp1:1', state: 'delivered' })).items).toMatchObject([
        { id: first.id, state: 'delivered', reference, settledAt: time.now() },
      ])
      const [failed] = (await other.deliveries({ surface: 'slack' })).items
      expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining('no ') })
      expect(JSON.stringify(failed)).not.toContain(SECRET)
      expect(await ledger.check()).toEqual([])
    })

    it('is listed by its notice, and by the fingerprint of that', async () => {
      const sent = []
      for (const n of [1, 2]) {
        const { id: notice } = await add({ key: `n${n}`, fingerprint: `fp1:${n}` })
        sent.push({ notice, id: (await deliver({ notice, surface: 'slack' })).id })
      }
      for (const [index, { notice, id }] of sent.entries())
        for (const filter of [{ notice }, { fingerprint: `fp1:${index + 1}` }])
          expect((await other.deliveries(filter)).items.map(each => each.id)).toEqual([id])
      expect((await other.deliveries({ notice: 'n_99' })).items).toEqual([])
    })

    it('is outdated once its notice is resolved, until its message is edited', async () => {
      const { id: notice } = await add({ provider: 'p' })
      const sent = await deliver({ notice, surface: 'slack' })
      const failed = await deliver({ notice, surface: 'phone' })
      await ledger.transaction(writes => writes.settleDelivery(sent.id, { delivered: true, reference: '1' }))
      await ledger.transaction(writes => writes.settleDelivery(failed.id, { delivered: false, reason: 'no' }))
      await ledger.transaction(writes => writes.resolveNotices({ provider: 'p', types: ['dead'] }, 'fixed'))
      const outdated = async () => (await other.deliveries({ surface: 'slack', outdated: true })).items
      expect(await outdated()).toMatchObject([{ id: sent.id, outdatedAt: time.now() }])
      expect((await other.deliveries({ surface: 'phone', outdated: true })).items).toEqual([])
      const mark = (isOutdated: boolean) =>
        ledger.transaction(writes => writes.outdateDeliveries([sent.id], isOutdated))
      expect([await mark(true), await mark(false), await mark(false)]).toEqual([0, 1, 0])
      expect(await outdated()).toEqual([])
    })

    it('of a missing notice is refused', async () => {
      await expect(deliver({ notice: 'notice_9', surface: 'slack' })).rejects.toMatchObject({
        code: 'invalid',
      })
    })
  })
}
