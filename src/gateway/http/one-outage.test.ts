import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../../capability/define.ts'
import { NoticeMaker } from '../../notice/notice-maker.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { testQueue } from '../../testing/test-queue.ts'
import type { Facilities } from './facilities.ts'
import { EventCounting } from './metrics/event-counting.ts'
import { expositionOf } from './metrics/exposition.ts'
import { queueGauges } from './metrics/queue-gauges.ts'

const MINUTE = 60_000

it.each([
  ['down', 'transient', { status: 503, message: 'Service Unavailable' }],
  ['limit', 'throttle', { status: 429, message: 'usage limit reached', headers: { 'retry-after': '3600' } }],
])(
  'eight calls that one provider refuses at once are one outage, told once (%s), and all counts agree',
  async (type, cls, refusal) => {
    const time = new FakeTime()
    const begun: (() => void)[] = []
    let tries = 0
    const ask = defineCapability({
      name: 'ask',
      params: z.object({}),
      retry: 'replay',
      provider: 'claude',
      run: async () => {
        tries++
        if (tries <= 8)
          await new Promise<void>(resolve => {
            // All are refused once all have begun.
            if (begun.push(resolve) === 8) for (const go of begun) go()
          })
        throw Object.assign(new Error(refusal.message), refusal)
      },
    })
    const { queue } = await testQueue({ capabilities: [ask], time })
    await using _ = { [Symbol.asyncDispose]: () => queue.close() }
    const { ledger } = queue
    const errors: unknown[] = []
    const counting = new EventCounting({ ledger, time, onError: error => errors.push(error) })
    await counting.families()
    const maker = new NoticeMaker({ ledger, time })
    await queue.submitMany(Array.from({ length: 8 }, () => ({ capability: 'ask' })))
    await queue.runner({ concurrency: 8 }).start()
    await time.advance(1_000)
    await maker.catchUp()
    expect(tries).toBe(8)
    expect(await ledger.events({ types: ['provider_blocked'] })).toHaveLength(1)
    const notices = async () => (await ledger.notices({}, { limit: 50 })).items.map(notice => notice.type)
    expect(await notices()).toEqual([type])

    expect(await queue.status()).toMatchObject({
      retryQueue: { queued: 8 },
      providers: [{ id: 'claude', admits: false }],
    })
    const facilities = { current: () => ({ queue }), ledger, time } as unknown as Facilities
    const page = expositionOf([...(await counting.families()), ...(await queueGauges(facilities))])
    for (const line of [
      `mulligan_attempts_total{provider="claude",class="${cls}"} 8`,
      'mulligan_operations{state="scheduled"} 8',
      'mulligan_provider_admits{provider="claude"} 0',
      'mulligan_notices_unread{disposition="information"} 1',
      'mulligan_notices_unread{disposition="actionable"} 0',
    ])
      expect(page.split('\n')).toContain(line)

    // It is refused again and again meanwhile.
    await time.advance(4 * MINUTE)
    await maker.catchUp()
    expect(await notices()).toEqual([type])
    await counting.stop()
    expect(errors).toEqual([])
  },
)
