import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../testing/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { CANCEL_REASONS, type CancelReason, PARK_REASONS, type ParkReason } from '../verdict/verdict.ts'
import { inboxOf, isForWorkspace } from './inbox.ts'
import { deliveryCapabilityOf } from './names.ts'
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
  const tell = (type: 'provider_blocked' | 'provider_freed', more = {}) =>
    ledger.transaction(writes => writes.tell(type, { provider: 'claude', ...more }))

  it('that rejects its login makes one notice a day until it is back', async () => {
    for (let each = 0; each < 5; each++) await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login'])
    await time.advance(DAY)
    await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login', 'login'])
    await tell('provider_freed')
    await tell('provider_freed')
    await parked('login', { providers: ['claude'] })
    expect(await types()).toEqual(['login', 'back', 'login', 'login'])
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

  it('makes no notice that it is back if none said it was gone', async () => {
    await tell('provider_blocked', { cause: 'limit' })
    await tell('provider_freed')
    expect(await notices()).toEqual([])
  })

  it('that stands for a surface makes no notice', async () => {
    await tell('provider_blocked', { provider: 'surface:phone', cause: 'breaker' })
    await tell('provider_freed', { provider: 'surface:phone' })
    expect(await notices()).toEqual([])
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

  it('that keeps failing makes a notice the third time, and one when it works again', async () => {
    for (let each = 0; each < 5; each++) await died('exhausted', cron('nightly'))
    for (let each = 0; each < 2; each++) await died('exhausted', cron('hourly'))
    const about = async () => (await types()).filter(type => type.startsWith('schedule'))
    expect(await about()).toEqual(['schedule_failing'])
    await succeeded(cron('nightly'))
    await succeeded(cron('nightly'))
    await succeeded(cron('hourly'))
    expect(await about()).toEqual(['schedule_recovered', 'schedule_failing'])
  })
})

describe('an inbox', () => {
  it('of the workspace takes over notices that a session left behind', async () => {
    await died('refused', { session: 'gone' })
    await succeeded({ session: 'gone' }, 2)
    await died('refused')
    await maker.catchUp()
    const inbox = (session?: string) =>
      inboxOf(ledger, { now: time.now(), ...(session === undefined ? {} : { session }) })
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
