import { describe, expect, it } from 'vitest'
import { exampleFailure, exampleCircumstances as given } from '../../../test/verdict/example.ts'
import type { Permit } from '../../provider/gate.ts'
import type { PolicyLike } from '../../verdict/policy.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { afterFailure, type Deciding, type FailedTry } from './after-failure.ts'
import { Judge } from './judge.ts'

const down = exampleFailure('transient', 'overloaded')
const words = { reason: 'because', rule: 'mine' }
const retry: Verdict = { action: 'retry', delayMs: 1_000, mode: 'again', ...words }
const failover: Verdict = { action: 'failover', ...words }
const park: Verdict = { action: 'park', for: 'login', ...words }
const cost = { costUsd: 1, tokens: null }

function judgeOf(policy: PolicyLike): Judge {
  return new Judge({
    rules: 'call',
    policies: () => policy,
    circumstances: outlook => given(outlook),
    limits: () => ({}),
    report: () => {},
  })
}

function permitOf(log: string[]): Permit {
  return {
    provider: 'p',
    succeeded: () => log.push('succeeded'),
    failed: ({ effect }, _mark, spent) => log.push(`health counts ${effect}, ${spent?.costUsd} USD`),
    released: () => log.push('released'),
  }
}

function decide(fields: Partial<Deciding>, tried: Partial<FailedTry> = {}) {
  return afterFailure(
    { failure: down, seen: down, permit: undefined, ...tried },
    {
      judge: judgeOf(() => retry),
      outlook: () => ({ otherProviderAvailable: true }),
      remedied: verdict => verdict,
      ...fields,
    },
  )
}

it('after a failed try health counts it, others are looked for, policies judge, a hook is asked, the remedy is added', async () => {
  const log: string[] = []
  const judge = judgeOf(({ effect }, { otherProviderAvailable }) => {
    log.push(`policy sees ${effect}, another provider: ${otherProviderAvailable}`)
    return retry
  })
  const decided = await decide(
    {
      judge,
      counted: async () => void log.push('counted'),
      outlook: async () => {
        log.push('outlook')
        return { otherProviderAvailable: true }
      },
      asked: async ({ action }, { otherProviderAvailable }) => {
        log.push(`hook sees ${action}, another provider: ${otherProviderAvailable}`)
        return park
      },
      remedied: verdict => {
        log.push(`remedy of ${verdict.action}`)
        return { ...verdict, reason: `${verdict.reason}!` }
      },
    },
    { permit: permitOf(log), seen: { ...down, effect: 'maybe' }, cost },
  )
  expect(decided).toEqual({ verdict: { ...park, reason: 'because!' }, isForHere: false })
  expect(log).toEqual([
    'health counts none, 1 USD',
    'counted',
    'outlook',
    'policy sees maybe, another provider: true',
    'hook sees retry, another provider: true',
    'remedy of park',
  ])
})

it('a failure that health has counted is not counted again', async () => {
  const log: string[] = []
  await decide({ counted: async () => void log.push('counted') })
  expect(log).toEqual([])
})

describe('a caller that waits', () => {
  const durable = judgeOf(() => park)

  it.each([retry, failover])('gets the verdict for its process: $action', async verdict => {
    const decided = await decide({ judge: durable, here: judgeOf(() => verdict) })
    expect(decided).toMatchObject({ verdict, isForHere: true })
  })

  it('gets the durable verdict if its process can do nothing', async () => {
    const cancel: Verdict = { action: 'cancel', as: 'refused', ...words }
    const decided = await decide({ judge: durable, here: judgeOf(() => cancel) })
    expect(decided).toMatchObject({ verdict: park, isForHere: false })
  })

  it('gets the result that a policy knows, and no hook is asked', async () => {
    const found = { succeeded: 7, reason: 'it is there' }
    const asked = () => Promise.reject(new Error('asked'))
    expect(await decide({ judge: durable, here: judgeOf(() => found), asked })).toMatchObject(found)
  })
})

describe('a hook', () => {
  it('lets the verdict stand, with the bound that overruled the policy', async () => {
    const judge = judgeOf(() => failover)
    const outlook = () => ({ otherProviderAvailable: false })
    const decided = await decide({ judge, outlook, asked: async () => undefined })
    expect(decided).toMatchObject({ verdict: { action: 'cancel' }, boundBy: 'providers' })
  })

  it('cannot repeat what an earlier try may have done', async () => {
    const judge = new Judge({
      rules: 'queue',
      policies: () => () => park,
      circumstances: outlook => given({ ...outlook, repeatable: false }),
      limits: () => ({}),
      report: () => {},
    })
    const decided = await decide({ judge, asked: async () => retry }, { seen: { ...down, effect: 'maybe' } })
    expect(decided).toMatchObject({ verdict: { action: 'cancel', as: 'unverifiable' }, boundBy: 'effect' })
  })

  it('may know the result', async () => {
    const found = { succeeded: 7, reason: 'it is there' }
    expect(await decide({ asked: async () => found })).toEqual(found)
  })
})

describe('a retry while most calls to its provider fail', () => {
  const refused = { mayRetry: () => false }
  const permit = permitOf([])

  it('is not made if another provider could serve', async () => {
    expect(await decide(refused, { permit })).toMatchObject({ boundBy: 'health' })
    expect(await decide({ mayRetry: () => true }, { permit })).toMatchObject({ verdict: retry })
  })

  it.each([
    ['no provider served it', {}, {}],
    ['nobody else could serve', { outlook: () => ({ otherProviderAvailable: false }) }, { permit }],
    ['its provider only asked for a pause', {}, { permit, seen: exampleFailure('throttle', 'rate_limit') }],
  ])('is made if %s', async (_why, deciding, tried) => {
    expect(await decide({ ...refused, ...deciding }, tried)).toMatchObject({ verdict: retry })
  })
})
