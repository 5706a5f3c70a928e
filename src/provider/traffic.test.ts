import { expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { Choice, Permit } from './gate.ts'
import { Health } from './health.ts'
import { Traffic } from './traffic.ts'
import { withoutCall } from './without-call.ts'

function traffic({ served = 0, out = 0, refused = 0 }): Traffic {
  const calls = new Traffic()
  for (let n = 0; n < served + out + refused; n++) calls.began()
  for (let n = 0; n < served; n++) calls.served()
  for (let n = 0; n < refused; n++) {
    calls.refused()
    calls.ended()
  }
  return calls
}

it.each([
  [{ refused: 1, served: 7 }, true],
  [{ refused: 1, served: 6 }, false],
  [{ refused: 1, out: 7 }, true],
  [{ refused: 1 }, false],
  // Nobody was served between them.
  [{ refused: 2, served: 60 }, false],
  [{ refused: 3, out: 49 }, true],
  [{ refused: 15, out: 35 }, true],
  [{ refused: 26, out: 24 }, false],
  [{ refused: 4, out: 4 }, false],
])('of %o, refusals are scattered: %s', (calls, is) => {
  expect(traffic(calls).isScattered).toBe(is)
})

it('calls count against a limit of requests as they begin, and not again as they end', async () => {
  const caps = [{ per: 3_600_000, requests: 2 }]
  const health = new Health({ time: new FakeTime(), providers: [{ id: 'a', caps }] })
  const choice = () => health.choose({ pool: ['a'], tried: new Set() }) as Choice
  const [first, second, third] = [choice(), choice(), choice()]
  expect([first, second, third].map(({ permit }) => permit !== undefined)).toEqual([true, true, false])
  first.permit?.released({ costUsd: 1, tokens: 5 })
  const [{ windows } = { windows: [] }] = await health.status()
  expect(windows).toMatchObject([{ unit: 'requests', used: 2 }])
})

it('calls that were served are out no more, so one that is refused among them makes nobody wait', async () => {
  const health = new Health({ time: new FakeTime() })
  const permitted = () => {
    const { permit } = health.choose({ pool: ['a'], tried: new Set() }) as Extract<Choice, { permit: Permit }>
    return permit
  }
  for (let n = 0; n < 7; n++) permitted().succeeded()
  const permit = permitted()
  const failure = classify(Object.assign(new Error('Too Many Requests'), { status: 429 })) as Failure
  permit.failed(failure, defaultPolicy.health(failure, { ...withoutCall(0), ...permit.standing?.(failure) }))
  expect(await health.status()).toMatchObject([{ admits: true, running: 0 }])
})

it.each([
  [{ refused: 1, served: 3 }, true],
  [{ refused: 1, served: 2 }, false],
  [{ refused: 2, out: 6 }, true],
  [{ refused: 2, out: 3, served: 60 }, false],
])('of %o, refusals that say when to come back are for their calls alone: %s', (calls, is) => {
  expect(traffic(calls).isAlone).toBe(is)
})

it('a limit that begins after many answers is soon no chance', () => {
  const calls = traffic({ served: 10_000 })
  let refusals = 0
  do {
    calls.began()
    calls.refused()
    calls.ended()
    refusals++
  } while (calls.isScattered)
  expect(refusals).toBe(2)
})

it('is remembered for so many models of a provider, and for all others together', () => {
  const { quota } = new Health().provider('a')
  const ofModel = Array.from({ length: 1_100 }, (_, n) => quota.trafficOf(`model ${n}`))
  expect(new Set(ofModel).size).toBe(1_001)
  expect(quota.trafficOf('model 0')).toBe(ofModel[0])
  expect(quota.trafficOf('model 1099')).toBe(ofModel[1_098])
})

it.each([
  [{ refused: 1, served: 4, out: 3 }, true],
  [{ refused: 2, served: 6 }, true],
  [{ refused: 5, served: 3, out: 5 }, true],
  // Too few to tell.
  [{ refused: 1, served: 3 }, false],
  // Nobody was ever served.
  [{ refused: 2, out: 7 }, false],
  // Nobody was served for a while.
  [{ refused: 3, served: 60 }, false],
  // Nearly all are refused.
  [{ refused: 9, served: 1, out: 3 }, false],
])('of %o, some are refused by chance: %s', (calls, is) => {
  expect(traffic(calls).isByChance).toBe(is)
})

it('nobody waits for refusals by chance that say to come back in a second', async () => {
  const time = new FakeTime()
  const health = new Health({ time })
  const permitted = () => {
    const { permit } = health.choose({ pool: ['a'], tried: new Set() }) as Extract<Choice, { permit: Permit }>
    return permit
  }
  const failure = classify(Object.assign(new Error('Too Many Requests'), { status: 429 })) as Failure
  for (const outcome of 'sssssrsrsr') {
    const permit = permitted()
    if (outcome === 's') permit.succeeded()
    else permit.failed(failure, { breaker: 'none', pace: true, blockUntil: time.now() + 1_000 })
  }
  expect(await health.status()).toMatchObject([{ admits: true }])
})
