import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { Gate } from '../provider/gate.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallFunction } from './context.ts'
import type { CallOptions } from './options.ts'

const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => void unhandled.push(error)

beforeEach(() => void process.on('unhandledRejection', onUnhandled))
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled.splice(0)).toEqual([])
})

/** Rejections are reported after all pending microtasks have run. */
const reported = () => new Promise(resolve => setImmediate(resolve))

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const fail = () => {
  throw reset()
}

/** How a call ended on a provider whose permit must be returned. */
async function ending(work: () => unknown, options: CallOptions): Promise<unknown> {
  const gate = new Health({ providers: [{ id: 'a' }] })
  const outcome = await call(work, { provider: 'a', health: gate, maxRetries: 0, ...options }).catch(
    (error: CallFailed) => error,
  )
  await reported()
  expect((await gate.status())[0]?.running).toBe(0)
  return outcome
}

describe('a call survives', () => {
  it.each<[string, CallOptions]>([
    ['an async listener that rejects', { onEvent: async () => fail() }],
    ['a listener that throws', { onEvent: fail }],
    ['an async policy that rejects', { policy: (async () => fail()) as never, onPolicyProblem: () => {} }],
    [
      'a policy that throws what cannot be printed',
      {
        policy: () => {
          throw Object.create(null)
        },
        onPolicyProblem: () => {},
      },
    ],
    [
      'a listener that throws when told of a bad policy',
      { policy: (() => 3) as never, onPolicyProblem: fail },
    ],
  ])('%s', async (_title, options) => {
    expect(await ending(fail, options)).toMatchObject({ name: 'CallFailed', failure: { kind: 'network' } })
  })

  it.each<[string, () => unknown]>([
    ['cannot be looked at', () => new Proxy({}, { getPrototypeOf: fail, get: fail, ownKeys: fail })],
    [
      'was revoked',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {})
        revoke()
        return proxy
      },
    ],
    ['is nothing', () => undefined],
    ['has no prototype', () => Object.create(null)],
  ])('work that throws what %s', async (_title, make) => {
    const work = () => {
      throw make()
    }
    expect(await ending(work, {})).toMatchObject({ name: 'CallFailed', failure: { class: 'unknown' } })
  })
})

describe('options', () => {
  it('that JSON cannot express are refused by name', async () => {
    await expect(call(() => 1, { budgetMs: 10n as never })).rejects.toThrow(
      'call: budgetMs must be a number of milliseconds above 0, not 10',
    )
    await expect(call(() => 1, { policy: [null] as never })).rejects.toThrow('call: policy must be')
  })
})

describe('the signal of a call', () => {
  it.each([0, 500])(
    'ends it also if it is aborted by who is told that a try begins, grace %i ms',
    async graceMs => {
      const stop = new AbortController()
      let tries = 0
      const called = call(
        () => {
          tries++
          return new Promise(() => {})
        },
        {
          signal: stop.signal,
          graceMs,
          onEvent: ({ type }) => {
            if (type === 'attempt.started') stop.abort(new Error('enough'))
          },
        },
      )
      await expect(called).rejects.toMatchObject({ failure: { class: 'aborted' } })
      expect(tries).toBe(0)
    },
  )
})

describe('a call that is stopped', () => {
  const hanging = () => new Promise(() => {})
  const stoppedBy = async (work: CallFunction<unknown>, options: CallOptions) => {
    const time = new FakeTime()
    return time.until(
      call(work, { time, ...options }).catch((error: CallFailed) => error),
    ) as Promise<CallFailed>
  }

  it.each<[string, CallFunction<unknown>, CallOptions, string]>([
    ['its deadline', hanging, { budgetMs: 50 }, 'timed out after 50 ms'],
    [
      'its price',
      ({ charge }) => {
        charge({ usd: 2 })
        return hanging()
      },
      { maxCostUsd: 1 },
      'the call exceeds its cost limit',
    ],
  ])('says so: by %s', async (_title, work, options, message) => {
    expect((await stoppedBy(work, options)).failure).toMatchObject({ message, effect: 'maybe' })
  })

  it('has done nothing if no provider ever admitted it', async () => {
    const gate: Gate = {
      choose: () => new Promise(() => {}),
      outlook: () => ({ otherProviderAvailable: false }),
      mayRetry: () => true,
    }
    expect((await stoppedBy(() => 1, { budgetMs: 50, provider: 'a', health: gate })).failure).toMatchObject({
      class: 'timeout',
      effect: 'none',
      message: 'timed out after 50 ms',
    })
    const aborted = call(() => 1, { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ failure: { class: 'aborted', effect: 'none' } })
  })

  it('withdraws its question from the gate', async () => {
    let asked: AbortSignal | undefined
    const gate: Gate = {
      choose: ({ signal }) => {
        asked = signal
        return new Promise(() => {})
      },
      outlook: () => ({ otherProviderAvailable: false }),
      mayRetry: () => true,
    }
    await stoppedBy(() => 1, { budgetMs: 50, provider: 'a', health: gate })
    expect(asked?.aborted).toBe(true)
  })

  it('keeps the session of the previous try, so it can be continued on purpose', async () => {
    const stop = new AbortController()
    const cut = { ...(classify({ status: 529 }) as Failure), effect: 'maybe' as const, sessionId: 's-1' }
    const { failure } = await stoppedBy(
      () => {
        throw new KnownFailure(cut)
      },
      {
        signal: stop.signal,
        onEvent: ({ type }) => {
          if (type === 'waiting') stop.abort()
        },
      },
    )
    expect(failure).toMatchObject({ class: 'aborted', effect: 'maybe', sessionId: 's-1' })
  })
})

describe('a budget', () => {
  it('that a late timer used up begins no try', async () => {
    const time = new FakeTime()
    let tries = 0
    const called = call(
      () => {
        tries++
        throw reset()
      },
      {
        budgetMs: 1_000,
        // A machine so busy that a short wait uses up the whole budget.
        time: {
          now: () => time.now(),
          monotonic: () => time.monotonic(),
          after: (ms, callback) => time.after(ms < 1_000 ? 1_000 : ms, callback),
        },
        random: () => 0.5,
      },
    ).catch((error: CallFailed) => error)
    expect(await time.until(called)).toMatchObject({
      failure: { class: 'transient', kind: 'network' },
      attempts: [{ number: 1 }],
    })
    expect(tries).toBe(1)
  })
})

describe('a gate that breaks', () => {
  const broken = () => {
    throw new Error('the store is gone')
  }
  const health = () => new Health({ providers: [{ id: 'a' }] })

  it.each(['choose', 'outlook'] as const)('ends the call when asked to %s, and is named', async verb => {
    const working = health()
    const gate: Gate = {
      choose: request => working.choose(request),
      outlook: request => working.outlook(request),
      mayRetry: () => true,
      [verb]: broken,
    }
    await expect(call(fail, { provider: 'a', health: gate })).rejects.toMatchObject({
      failure: { message: expect.stringContaining('the store is gone') },
      verdict: { rule: 'call:gate' },
    })
  })
})
