import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { deliveryCapabilityOf } from '../ledger/delivery-name.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { CANCEL_REASONS, type CancelReason, PARK_REASONS, type ParkReason } from '../verdict/verdict.ts'
import { inboxOf, isForWorkspace, showBeforeEnd } from './inbox.ts'
import { proposeLabel } from './label-proposal.ts'
import { NOTICE_CONSUMER, NoticeMaker } from './notice-maker.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let time: FakeTime
let ledger: SqliteLedger
let maker: NoticeMaker
beforeEach(async () => {
  time = new FakeTime(Date.parse('2026-11-16T09:00:00Z'))
  ledger = await memoryLedger({ time })
  maker = new NoticeMaker({ ledger, time })
})
afterEach(async () => {
  expect(await ledger.check()).toEqual([])
  await ledger.close()
})

const inserted = async (more: Partial<NewOperation> = {}): Promise<string> => {
  const [one] = await ledger.transaction(writes =>
    writes.insert([{ capability: 'work', params: {}, source: 'run', ...more }]),
  )
  return one?.id as string
}
const failure = (text: string, more: Partial<Failure> = {}): Failure =>
  ({ ...(classify(text, { now: time.now() }) as Failure), ...more }) as Failure
const about = { reason: 'for the test', rule: 'test' }

async function died(as: CancelReason, more: Partial<NewOperation> = {}): Promise<string> {
  const id = await inserted(more)
  await ledger.transaction(writes => {
    const started = writes.start(id)
    writes.settle(
      { id, run: started?.operation.run as number },
      {
        verdict: { action: 'cancel', as, ...about },
        attempt: { startedAt: time.now(), endedAt: time.now(), failure: failure('HTTP 500 boom') },
      },
    )
  })
  return id
}
async function parked(reason: ParkReason, more: Partial<NewOperation> = {}): Promise<string> {
  const id = await inserted(more)
  await ledger.transaction(writes => writes.park(id, { for: reason, reason: 'for the test' }))
  return id
}
async function succeeded(more: Partial<NewOperation> = {}, runs = 1): Promise<string> {
  const id = await inserted(more)
  for (let run = 1; run < runs; run++)
    await ledger.transaction(writes => {
      writes.start(id)
      writes.handBack({ id, run })
    })
  await ledger.transaction(writes => {
    writes.start(id)
    writes.settle({ id, run: runs }, { succeeded: true, result: { answer: 42 } })
  })
  return id
}
const notices = async () => {
  await maker.catchUp()
  return (await ledger.notices({ expired: true }, { limit: 500 })).items
}
const types = async () => (await notices()).map(({ type }) => type)

describe('an operation that ended', () => {
  it.each(CANCEL_REASONS)('as %s makes one notice, however often it is read', async as => {
    const id = await died(as, { session: 's' })
    const [notice, ...others] = await notices()
    expect(others).toEqual([])
    expect(notice).toMatchObject({
      type: 'dead',
      operation: id,
      session: 's',
      disposition: as === 'cancelled' ? 'information' : 'actionable',
    })
    expect(notice?.body).toContain('HTTP 500 boom')
    await Promise.all([maker.catchUp(), new NoticeMaker({ ledger, time }).catchUp()])
    expect(await notices()).toHaveLength(1)
  })

  it('well makes a notice if no caller was waiting any more', async () => {
    await succeeded()
    expect(await notices()).toEqual([])
    await succeeded({ session: 's' }, 2)
    expect(await notices()).toMatchObject([
      { type: 'succeeded', disposition: 'information', preview: '{"answer":42}', readAt: time.now() },
    ])
    await succeeded({ source: 'submit' })
    expect(await notices()).toHaveLength(1)
    await succeeded({ source: 'submit', session: 's' })
    expect(await notices()).toHaveLength(2)
  })

  it('more than a day ago makes no notice', async () => {
    await died('refused')
    await time.advance(DAY + 1)
    expect(await notices()).toEqual([])
    expect(await ledger.cursor(NOTICE_CONSUMER)).toBe(await ledger.lastEvent())
  })

  it('ends the deliveries of all notices that joined its message, however many', async () => {
    const operation = await inserted({ capability: deliveryCapabilityOf('phone'), source: 'notice' })
    await ledger.transaction(writes => {
      for (let n = 0; n < 1_001; n++) {
        const { id: notice } = writes.addNotice({
          ...{ key: `n${n}`, type: 'dead', title: 'work is dead', body: '', expiresAt: time.now() + DAY },
          ...{ priority: 'high', disposition: 'actionable' },
        })
        writes.addDelivery({ notice, surface: 'phone', operation })
      }
    })
    await ledger.transaction(writes => {
      writes.start(operation)
      writes.settle({ id: operation, run: 1 }, { succeeded: true })
    })
    await maker.catchUp()
    expect((await ledger.deliveries({ state: 'pending' })).items).toEqual([])
  })

  it('makes no notice if it delivers one', async () => {
    await died('exhausted', { capability: deliveryCapabilityOf('phone'), source: 'notice' })
    await parked('login', { capability: deliveryCapabilityOf('phone'), providers: ['surface:phone'] })
    expect(await notices()).toEqual([])
  })
})

describe('an operation that waits', () => {
  it.each(PARK_REASONS)('for %s tells its session', async reason => {
    const id = await parked(reason, { session: 's' })
    const own = (await notices()).filter(({ operation }) => operation === id)
    expect(own).toMatchObject([{ type: 'parked', session: 's' }])
    expect(own[0]?.disposition).toBe(reason === 'parameters' ? 'actionable' : 'information')
  })

  it.each<[ParkReason, string[]]>([
    ['label', []],
    ['login', ['login']],
    ['payment', ['billing']],
    ['runner', ['parked']],
    ['secret', ['parked']],
    ['parameters', ['parked']],
  ])('for %s without a session is told to people as %j', async (reason, expected) => {
    await parked(reason, { providers: ['claude'] })
    expect(await types()).toEqual(expected)
  })
})

describe('a provider', () => {
  const tell = (type: 'provider_blocked' | 'provider_freed' | 'provider_served', more = {}) =>
    ledger.transaction(writes => writes.tell(type, { provider: 'claude', ...more }))
  const served = async (startedAt = time.now(), provider = 'claude') => {
    const id = await inserted({ providers: ['claude'] })
    await ledger.transaction(writes => {
      writes.start(id)
      const attempt = { startedAt, endedAt: time.now(), provider }
      writes.settle({ id, run: 1 }, { succeeded: true, attempt })
    })
  }

  it('that rejects its login makes one notice until it works again, however long that takes', async () => {
    for (let each = 0; each < 5; each++) await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login'])
    await time.advance(3 * DAY)
    await ledger.prune()
    await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login'])
    await tell('provider_freed')
    expect(await types()).toEqual(['login'])
    await served()
    await served()
    expect(await types()).toEqual(['back', 'login'])
    await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login', 'back', 'login'])
  })

  it('is down once and back once, although every half-open try fails for five minutes and past midnight', async () => {
    time.jump(Date.parse('2026-11-16T23:57:00Z') - time.now())
    for (let minute = 0; minute < 6; minute++) {
      await tell('provider_blocked', { cause: 'breaker', until: time.now() + 60_000 })
      expect(await types()).toEqual(['down'])
      await time.advance(60_000)
      // The end of the wait: the next call finds out.
      await tell('provider_freed')
      expect(await types()).toEqual(['down'])
    }
    await served()
    const [back, down] = await notices()
    expect(back).toMatchObject({ type: 'back', title: 'claude works again', readAt: time.now() })
    expect(down).toMatchObject({ type: 'down', resolvedAt: time.now(), resolution: 'claude works again' })
    await tell('provider_blocked', { cause: 'breaker', until: time.now() + 60_000 })
    expect(await types()).toEqual(['down', 'back', 'down'])
  })

  it('is not back because a call succeeds that began before it was down, or that another provider served', async () => {
    const before = time.now()
    await time.advance(1_000)
    await tell('provider_blocked', { cause: 'breaker' })
    await served(before)
    await served(time.now(), 'codex')
    expect(await types()).toEqual(['down'])
  })

  it('is back when its health says that a call or a probe was answered, without any operation', async () => {
    await tell('provider_blocked', { cause: 'breaker' })
    await tell('provider_served', { by: 'probe' })
    await tell('provider_served', { by: 'success' })
    expect(await types()).toEqual(['back', 'down'])
  })

  it('that a person reset needs no action any more, and is back after its first success', async () => {
    await tell('provider_blocked', { cause: 'payment' })
    await tell('provider_blocked', { cause: 'breaker' })
    await tell('provider_served', { by: 'reset' })
    const [down, billing] = await notices()
    expect(billing).toMatchObject({ type: 'billing', resolution: 'claude was reset by a person' })
    expect(down).toMatchObject({ type: 'down' })
    expect(down?.resolvedAt).toBeUndefined()
    await served()
    expect(await types()).toEqual(['back', 'down', 'billing'])
  })

  it('that refuses again after a reset is told of again', async () => {
    await tell('provider_blocked', { cause: 'login' })
    await tell('provider_served', { by: 'reset' })
    await tell('provider_blocked', { cause: 'login' })
    expect(await types()).toEqual(['login', 'login'])
    expect((await ledger.notices({ unread: true })).items).toHaveLength(1)
  })

  it.each([
    ['breaker', ['down']],
    ['payment', ['billing']],
    ['login', ['login']],
    ['limit', []],
    ['pause', []],
    ['busy', []],
  ])('blocked by %s is told of as %j', async (cause, expected) => {
    await tell('provider_blocked', { cause })
    expect(await types()).toEqual(expected)
  })

  it('at a limit for long is told of once, with the time and how many wait; the words change with them', async () => {
    const engine = new EmbeddedEngine({ ledger })
    maker = new NoticeMaker({ ledger, time })
    const title = async (until: number) => {
      await engine.block('claude', until, { cause: 'limit', reason: 'limit reached' })
      await maker.catchUp()
      return (await notices()).map(notice => notice.title)
    }
    const until = Date.parse('2026-11-16T19:00:00Z')
    await inserted({ providers: ['claude'] })
    // Codex can serve this one.
    await inserted({ providers: ['claude', 'codex'] })
    expect(await title(until)).toEqual(['claude is at its limit until 19:00 UTC; 1 operation waits for it'])
    for (let each = 0; each < 9; each++) await inserted({ providers: ['claude'] })
    await engine.block('codex', until + 3 * DAY, { cause: 'limit' })
    expect(await title(until + DAY)).toContain(
      'claude is at its limit until 2026-11-17 19:00 UTC; 11 operations wait for it',
    )
    await served()
    expect((await notices()).find(({ provider }) => provider === 'claude')).toMatchObject({
      type: 'limit',
      resolvedAt: time.now(),
    })
  })

  it('at a limit for a few minutes is not told of', async () => {
    await tell('provider_blocked', { cause: 'limit', until: time.now() + 14 * 60_000 })
    expect(await notices()).toEqual([])
  })

  it('makes no notice that it is back if none said it was gone', async () => {
    await tell('provider_blocked', { cause: 'limit' })
    await tell('provider_freed')
    await served()
    await tell('provider_served', { by: 'success' })
    expect(await notices()).toEqual([])
  })

  it('that stands for a surface makes no notice', async () => {
    await tell('provider_blocked', { provider: 'surface:phone', cause: 'breaker' })
    await tell('provider_served', { provider: 'surface:phone', by: 'success' })
    expect(await notices()).toEqual([])
  })

  it('about a login does not name the time of the next test call as its end', async () => {
    const reason = 'blocked until 2026-11-17T21:45:06.196Z: invalid x-api-key'
    await tell('provider_blocked', { cause: 'login', reason, said: 'invalid x-api-key' })
    const [login] = await notices()
    expect(login?.body).toBe('invalid x-api-key\nLog in again, then: mulligan providers reset claude')
  })

  it('names one and the same next step for a login and a payment', async () => {
    await tell('provider_blocked', { cause: 'login', provider: 'my claude' })
    await tell('provider_blocked', { cause: 'payment' })
    const [billing, login] = await notices()
    expect(login?.body).toBe("Log in again, then: mulligan providers reset 'my claude'")
    expect(billing?.body).toBe('Pay, or raise its limit, then: mulligan providers reset claude')
  })
})

describe('a notice is resolved', () => {
  const states = async () =>
    (await notices()).map(({ type, resolution }) => `${type}: ${resolution ?? 'open'}`)

  it('when its dead operation is started again; if that dies too, a new one is made', async () => {
    const id = await died('exhausted')
    await ledger.transaction(writes => writes.revive(id))
    expect(await states()).toEqual(['dead: it was started again'])
    await ledger.transaction(writes => {
      writes.start(id)
      writes.settle({ id, run: 2 }, { verdict: { action: 'cancel', as: 'exhausted', ...about } })
    })
    expect(await states()).toEqual(['dead: open', 'dead: it was started again'])
    await ledger.transaction(writes => writes.discard(id))
    expect(await states()).toEqual(['dead: it was deleted', 'dead: it was started again'])
  })

  it('when its parked operation continues, is given a verdict by a label, or ends', async () => {
    const a = await parked('runner')
    await ledger.transaction(writes => writes.unpark(a, { by: 'runner', reason: 'one is there' }))
    const b = await parked('secret')
    await ledger.transaction(writes => writes.cancel(b, 'not needed'))
    expect(await states()).toEqual(['dead: open', 'parked: it ended', 'parked: it continues'])
  })

  it('when the unknown failure it asks about has a label, with the labels that were proposed', async () => {
    const unknown = failure('weird thing')
    const sighting = { failure: unknown, at: time.now(), outcome: 'ended' as const }
    await ledger.transaction(writes => writes.recordUnknown({ ...sighting, provider: 'kimi' }))
    await ledger.transaction(writes => writes.recordUnknown({ ...sighting, provider: 'codex' }))
    const { fingerprint } = unknown
    await proposeLabel(
      { ledger, time },
      { fingerprint, by: 'an agent', teaching: { class: 'transient' }, who: 'agent-7' },
    )
    const label = { fingerprint, class: 'transient' as const, who: 'ann', effect: 'none' as const }
    await ledger.transaction(writes => writes.addLabel({ ...label, provider: 'kimi' }))
    expect((await states()).toSorted()).toEqual(['label_proposed: open', 'unknown: open'])
    await ledger.transaction(writes => writes.addLabel(label))
    expect((await states()).toSorted()).toEqual([
      'label_proposed: labelled by ann',
      'unknown: labelled by ann',
    ])
  })

  it('also by an event that is too old to make one', async () => {
    const id = await died('exhausted')
    await maker.catchUp()
    await ledger.transaction(writes => writes.revive(id))
    await time.advance(2 * DAY)
    expect(await states()).toEqual(['dead: it was started again'])
  })

  it('and then holds no session back, and is not left behind in the workspace', async () => {
    const id = await died('exhausted', { session: 's' })
    await maker.catchUp()
    expect(await showBeforeEnd(ledger, 's', time.now())).toHaveLength(1)
    await ledger.transaction(writes => writes.revive(id))
    await maker.catchUp()
    expect(await showBeforeEnd(ledger, 's', time.now())).toEqual([])
    await time.advance(2 * HOUR)
    expect(await inboxOf(ledger, { now: time.now() })).toEqual([])
    expect(await inboxOf(ledger, { session: 's', now: time.now() })).toHaveLength(1)
  })
})

describe('an unknown failure', () => {
  const seen = (provider = 'kimi') =>
    ledger.transaction(writes =>
      writes.recordUnknown({ failure: failure('weird thing'), at: time.now(), outcome: 'ended', provider }),
    )

  it('is escalated once ever; on later days only issue trackers are told', async () => {
    for (let each = 0; each < 3; each++) await seen()
    await seen('other')
    expect(await types()).toEqual(['unknown'])
    expect((await notices())[0]?.title).toContain('Unknown failure of kimi')
    await time.advance(DAY)
    await seen()
    await seen()
    const [again, first, ...rest] = await notices()
    expect(rest).toEqual([])
    expect(first?.disposition).toBe('actionable')
    expect(again).toMatchObject({ type: 'unknown', disposition: 'information', readAt: expect.any(Number) })
    expect(again?.key).toMatch(/:again:2026-11-17$/)
  })

  it('of a surface is not escalated', async () => {
    await seen('surface:phone')
    expect(await notices()).toEqual([])
  })
})

describe('a schedule', () => {
  const cron = (name: string) => ({ source: 'cron', context: { cron: name } })

  it('that stops succeeding makes a notice, and one when it succeeds again; its runs none that need action', async () => {
    for (let each = 0; each < 5; each++) await died('exhausted', cron('nightly'))
    await died('exhausted', cron('hourly'))
    const schedules = async () => (await types()).filter(type => type.startsWith('schedule'))
    expect(await schedules()).toEqual(['schedule_failing', 'schedule_failing'])
    expect((await ledger.notices({ unread: true, disposition: 'actionable' })).items).toHaveLength(2)
    await succeeded(cron('nightly'))
    await succeeded(cron('nightly'))
    expect(await schedules()).toEqual(['schedule_recovered', 'schedule_failing', 'schedule_failing'])
    expect((await ledger.notices({ unread: true, disposition: 'actionable' })).items).toHaveLength(1)
  })
})

describe('an inbox', () => {
  it('of the workspace takes over notices that a session left behind', async () => {
    await died('refused', { session: 'gone' })
    await succeeded({ session: 'gone' }, 2)
    await died('refused')
    await maker.catchUp()
    const inbox = (session?: string) => inboxOf(ledger, { now: time.now(), ...present({ session }) })
    expect(await inbox('gone')).toHaveLength(2)
    expect(await inbox()).toHaveLength(1)
    await time.advance(HOUR + 1)
    const both = await inbox()
    expect(both.map(({ session }) => session)).toEqual([undefined, 'gone'])
    expect(both.every(notice => isForWorkspace(notice, time.now()))).toBe(true)
    await ledger.transaction(writes => writes.readNotices([both[1]?.id as string], 'gone'))
    expect(await inbox()).toHaveLength(1)
  })
})
