import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { sleep } from '../time/time.ts'
import type { CallContext } from './context.ts'
import { council } from './council.ts'
import type { CouncilEvent } from './council-event.ts'
import { type CouncilMember, type CouncilOptions, councilLimits } from './council-options.ts'
import { CouncilFailed, type CouncilResult } from './council-result.ts'
import { SdkError } from './sdk-error.ts'

const OVERLOADED = { name: 'APIError', data: { message: 'Overloaded', statusCode: 529, isRetryable: true } }

/** A member that answers after a while. */
const answering = (time: FakeTime, name: string, ms: number): CouncilMember<string> => ({
  name,
  ask: async ({ signal }) => {
    await sleep(time, ms, signal)
    return `answer of ${name}`
  },
})
const never = (name: string): CouncilMember<string> => ({ name, ask: () => new Promise(() => {}) })
const failing = (name: string, error: unknown): CouncilMember<string> => ({
  name,
  ask: () => Promise.reject(error),
})

function ask<A = never>(
  time: FakeTime,
  members: readonly CouncilMember<string>[],
  options: Partial<CouncilOptions<string, A>> = {},
) {
  return time.until(council(members, { prompt: 'review this', time, random: () => 0, ...options }))
}

async function failure(asked: Promise<unknown>): Promise<CouncilFailed<string>> {
  const error = await asked.then(
    () => undefined,
    reason => reason,
  )
  expect(error).toBeInstanceOf(CouncilFailed)
  return error as CouncilFailed<string>
}

const names = (list: readonly { member: string }[]) => list.map(({ member }) => member)

describe('a retry within the budget of a member', () => {
  const onceOverloaded = () => {
    let asked = 0
    const member: CouncilMember<string> = {
      name: 'late',
      ask: async () => {
        asked++
        if (asked === 1) throw OVERLOADED
        return 'answer'
      },
    }
    return { member, asked: () => asked }
  }

  it.each([
    { budgetMs: 20_000, tries: 1, why: 'needs more than 30 s by default' },
    { budgetMs: 20_000, minRetryBudgetMs: 5_000, tries: 2, why: 'needs less where the council says so' },
    { budgetMs: 20_000, minRetryBudgetMs: 0, tries: 2, why: 'may need nothing' },
    { budgetMs: 60_000, minRetryBudgetMs: 90_000, tries: 1, why: 'needs more where the council says so' },
  ])('$why', async ({ tries, why: _why, ...numbers }) => {
    const time = new FakeTime()
    const { member, asked } = onceOverloaded()
    await ask(time, [member, answering(time, 'a', 10), answering(time, 'b', 10)], numbers)
    expect(asked()).toBe(tries)
  })

  it('refuses a negative minimum', async () => {
    const asked = council([never('a'), never('b')], { prompt: 'x', minRetryBudgetMs: -1 })
    await expect(asked).rejects.toThrow('minRetryBudgetMs must be 0 milliseconds or more, not -1')
  })
})

describe('the numbers of a council', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => never(`m${index}`))
  const limits = (count: number, options: Partial<CouncilOptions<string>>) => {
    const warnings: string[] = []
    return {
      ...councilLimits(members(count), { prompt: 'p', ...options }, warning => void warnings.push(warning)),
      warnings,
    }
  }

  it.each<[number, unknown, number, number]>([
    [2, undefined, 2, 0],
    [3, undefined, 3, 0],
    [5, undefined, 5, 0],
    [5, 2, 2, 0],
    [5, 5, 5, 0],
    [3, 1, 3, 1],
    [3, 4, 3, 1],
    [3, 2.5, 3, 1],
    [3, '3', 3, 1],
    [3, -1, 3, 1],
    [3, Number.NaN, 3, 1],
  ])('of %s members with quorum %j await %s, with %s warnings', (count, quorum, expected, warned) => {
    const found = limits(count, { quorum: quorum as number })
    expect(found.quorum).toBe(expected)
    expect(found.warnings).toHaveLength(warned)
    for (const warning of found.warnings) expect(warning).toMatch(/quorum .* not a whole number from 2 to 3/)
  })

  it.each<[Partial<CouncilOptions<string>>, number]>([
    [{}, 420_000],
    [{ budgetMs: 2_000, aggregator: { aggregate: () => '', budgetMs: 4_000 } as never }, 36_000],
    [
      { budgetMs: 2_000, graceMs: 5_000, aggregator: { aggregate: () => '', budgetMs: 4_000 } as never },
      41_000,
    ],
  ])('cap %j at %s ms', (options, hardCapMs) => {
    expect(limits(2, options)).toMatchObject({ hardCapMs, warnings: [] })
  })

  it('keep a cap that is too small, with one warning that names all numbers', () => {
    const found = limits(2, { hardCapMs: 2_000, graceMs: 5_000 })
    expect(found.hardCapMs).toBe(2_000)
    expect(found.warnings).toEqual([expect.stringMatching(/2000 .*425000 .*270000.*120000.*5000/)])
  })

  it('take a negative grace for zero', () => {
    expect(limits(2, { graceMs: -50 }).graceMs).toBe(0)
    expect(limits(2, { graceMs: 12_345 }).graceMs).toBe(12_345)
  })

  it.each<[string, () => unknown]>([
    ['at least 2 members', () => limits(1, {})],
    ['budgetMs must be more than 0', () => limits(2, { budgetMs: 0 })],
    ['hardCapMs must be a number', () => limits(2, { hardCapMs: '5s' as never })],
    ['two members are called "a"', () => councilLimits([never('a'), never('a')], { prompt: 'p' }, () => {})],
    [
      'prompt must be a non-blank string',
      () => councilLimits([never('a'), never('b')], { prompt: ' ' }, () => {}),
    ],
    [
      'members[1] needs a non-blank name',
      () => councilLimits([never('a'), never(' ')], { prompt: 'p' }, () => {}),
    ],
    [
      'needs a function `ask`',
      () => councilLimits([never('a'), { name: 'b' } as never], { prompt: 'p' }, () => {}),
    ],
  ])('refuse impossible values: %s', (message, make) => {
    expect(make).toThrow(message)
  })
})

describe('a council', () => {
  it('returns every answer in the order of its members', async () => {
    const time = new FakeTime()
    const result = await ask(time, [answering(time, 'slow', 900), answering(time, 'quick', 10)])
    expect(result.successes).toEqual([
      { member: 'slow', value: 'answer of slow', attempts: 1, costUsd: null },
      { member: 'quick', value: 'answer of quick', attempts: 1, costUsd: null },
    ])
    expect(time.monotonic()).toBe(900)
    expect(time.pending).toBe(0)
  })

  it('stops waiting at its quorum, and aborts the rest', async () => {
    const time = new FakeTime()
    let aborted: unknown
    const laggard: CouncilMember<string> = {
      name: 'c',
      ask: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason
          })
        }),
    }
    const result = await ask(time, [answering(time, 'a', 10), answering(time, 'b', 20), laggard], {
      quorum: 2,
    })
    expect(names(result.successes)).toEqual(['a', 'b'])
    expect(result.aborted).toEqual([{ member: 'c', attempts: 1 }])
    expect(aborted).toMatchObject({ message: expect.stringContaining('quorum') })
    expect(time.monotonic()).toBe(20)
    expect(time.pending).toBe(0)
  })

  it('accepts answers during the grace, and ends it when no member is left', async () => {
    const time = new FakeTime()
    const result = await ask(
      time,
      [answering(time, 'a', 1), answering(time, 'b', 2), answering(time, 'c', 40)],
      {
        quorum: 2,
        graceMs: 10_000,
      },
    )
    expect(names(result.successes)).toEqual(['a', 'b', 'c'])
    expect(result.summary).not.toContain('Aborted')
    expect(time.monotonic()).toBe(40)
    expect(time.pending).toBe(0)
  })

  it('aborts members that have not answered when the grace is over', async () => {
    const time = new FakeTime()
    const result = await ask(time, [answering(time, 'a', 1), answering(time, 'b', 2), never('c')], {
      quorum: 2,
      graceMs: 50,
    })
    expect(names(result.aborted)).toEqual(['c'])
    expect(time.monotonic()).toBe(52)
  })

  it('does not count a failure towards the quorum, and waits for the third', async () => {
    const time = new FakeTime()
    const result = await ask(
      time,
      [answering(time, 'a', 1), failing('b', new Error('boom')), answering(time, 'c', 100)],
      { quorum: 2 },
    )
    expect(names(result.successes)).toEqual(['a', 'c'])
    expect(time.monotonic()).toBe(100)
  })

  it('succeeds with two answers although the quorum was three', async () => {
    const time = new FakeTime()
    const result = await ask(
      time,
      [answering(time, 'a', 1), failing('b', new Error('boom')), answering(time, 'c', 5)],
      {
        quorum: 3,
      },
    )
    expect(names(result.successes)).toEqual(['a', 'c'])
    expect(names(result.failures)).toEqual(['b'])
  })

  it('fails with fewer than two answers, and keeps the one it got', async () => {
    const time = new FakeTime()
    const error = await failure(ask(time, [answering(time, 'a', 1), failing('b', new Error('boom'))]))
    expect(error.because).toBe('too_few')
    expect(error.message).toContain('fewer than 2 successful councillor responses (1/2)')
    expect(error.message).toContain('answered: a')
    expect(error.message).toMatch(/b failed \(unknown\): .*boom/)
    expect(error.answers.successes).toMatchObject([{ member: 'a', value: 'answer of a' }])
  })

  it('is ended by its cap, even during the grace, and carries the answers so far', async () => {
    const time = new FakeTime()
    const asked = ask(time, [answering(time, 'a', 1_000), answering(time, 'b', 2_000), never('c')], {
      quorum: 2,
      budgetMs: 20_000,
      graceMs: 10_000,
      hardCapMs: 5_000,
      onWarning: () => {},
    })
    const error = await failure(asked)
    expect(error).toMatchObject({ because: 'hard_cap', message: 'council timed out after 5s' })
    expect(names(error.answers.successes)).toEqual(['a', 'b'])
    expect(names(error.answers.aborted)).toEqual(['c'])
    expect(time.monotonic()).toBe(5_000)
    expect(time.pending).toBe(0)
  })

  it('aborts all members at its cap', async () => {
    const time = new FakeTime()
    const signals: AbortSignal[] = []
    const hanging = (name: string): CouncilMember<string> => ({
      name,
      ask: ({ signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    const error = await failure(
      ask(time, [hanging('a'), hanging('b')], { hardCapMs: 50, onWarning: () => {} }),
    )
    expect(error.because).toBe('hard_cap')
    expect(signals.map(signal => signal.aborted)).toEqual([true, true])
    expect(time.pending).toBe(0)
  })

  it('is ended by the caller, before it begins and while it runs', async () => {
    const time = new FakeTime()
    let asked = 0
    const counted: CouncilMember<string> = { name: 'x', ask: () => new Promise(() => void asked++) }
    const early = await failure(ask(time, [counted, never('b')], { signal: AbortSignal.abort('no') }))
    expect(early).toMatchObject({ because: 'aborted', cause: 'no' })
    expect(asked).toBe(0)
    const controller = new AbortController()
    const running = failure(
      council([never('a'), never('b')], { prompt: 'p', time, signal: controller.signal }),
    )
    await time.advance(5)
    controller.abort('enough')
    expect(await running).toMatchObject({ because: 'aborted', cause: 'enough' })
    expect(time.pending).toBe(0)
  })

  it('survives a listener that throws', async () => {
    const time = new FakeTime()
    const result = await ask(time, [answering(time, 'a', 1), answering(time, 'b', 2)], {
      onEvent: () => {
        throw new Error('oops')
      },
    })
    expect(result.successes).toHaveLength(2)
  })

  it('reports what happens, as it happens', async () => {
    const time = new FakeTime()
    const events: CouncilEvent[] = []
    await ask(time, [answering(time, 'a', 1), answering(time, 'b', 2), never('c')], {
      quorum: 2,
      onEvent: event => void events.push(event),
    })
    expect(events.filter(({ type }) => type !== 'call')).toMatchObject([
      { type: 'member.settled', member: 'a', as: 'success' },
      { type: 'member.settled', member: 'b', as: 'success' },
      { type: 'quorum.reached', successes: 2, pending: 1, graceMs: 0 },
      { type: 'member.settled', member: 'c', as: 'aborted' },
    ])
  })

  it('refuses settings that a call would refuse, before any member is asked', async () => {
    let asked = 0
    const member = { name: 'a', provider: '', ask: () => ++asked }
    await expect(council([member, { ...member, name: 'b' }], { prompt: 'p' })).rejects.toThrow(TypeError)
    expect(asked).toBe(0)
  })
})

describe('a member', () => {
  /** Fails with each of these in turn, then answers. */
  const scripted = (time: FakeTime, name: string, script: { afterMs: number; with: unknown }[]) => {
    const starts: number[] = []
    const member: CouncilMember<unknown> = {
      name,
      ask: async ({ attempt, signal }: CallContext) => {
        starts.push(time.monotonic())
        const step = script[attempt - 1]
        if (!step) return 'answer'
        await sleep(time, step.afterMs, signal)
        if (step.with instanceof Error) throw step.with
        return step.with
      },
    }
    return { member, starts }
  }
  const inAnswer = (error: unknown, text = '') => ({
    data: { info: { role: 'assistant', error }, parts: text ? [{ type: 'text', text }] : [] },
  })
  const asked = (time: FakeTime, member: CouncilMember<unknown>) =>
    time.until(
      council<unknown>([member, answering(time, 'x', 1), answering(time, 'y', 1)], {
        prompt: 'p',
        time,
        random: () => 0.5,
      }),
    )

  it('is retried once after an overload hidden in a 200 answer, within its one budget', async () => {
    const time = new FakeTime()
    const { member, starts } = scripted(time, 'a', [{ afterMs: 4_000, with: inAnswer(OVERLOADED, 'half') }])
    const result = await asked(time, member)
    expect(result.successes[0]).toMatchObject({ member: 'a', value: 'answer', attempts: 2 })
    expect(starts).toEqual([0, 5_500])
    expect(result.summary).toContain('- a (2 attempts)\n- x\n')
  })

  it("fails after the second overload, with its class and the SDK's own object", async () => {
    const time = new FakeTime()
    const { member } = scripted(time, 'a', [
      { afterMs: 4_000, with: inAnswer(OVERLOADED) },
      { afterMs: 3_500, with: inAnswer(OVERLOADED) },
    ])
    const { failures } = await asked(time, member)
    expect(failures).toMatchObject([{ member: 'a', class: 'transient', attempts: 2 }])
    expect(failures[0]?.error).toBeInstanceOf(SdkError)
    expect(failures[0]?.error.sdkError).toBe(OVERLOADED)
  })

  it.each<[number, number]>([
    [239_999, 2],
    [240_000, 1],
    [260_000, 1],
  ])('that fails after %s ms has %s attempts: more than 30 s must be left', async (afterMs, attempts) => {
    const time = new FakeTime()
    const { member, starts } = scripted(time, 'a', [{ afterMs, with: inAnswer(OVERLOADED) }])
    const result = await asked(time, member)
    expect(starts).toHaveLength(attempts)
    expect(names(attempts === 2 ? result.successes : result.failures)).toContain('a')
  })

  it('that hangs is ended by its own budget and not asked again', async () => {
    const time = new FakeTime()
    const { failures } = await asked(time, { name: 'a', ask: () => new Promise(() => {}) })
    expect(failures).toMatchObject([{ member: 'a', class: 'timeout', attempts: 1 }])
    expect(time.monotonic()).toBe(270_000)
  })

  it('whose second try hangs does not get more than its budget either', async () => {
    const time = new FakeTime()
    const member: CouncilMember<unknown> = {
      name: 'a',
      ask: ({ attempt }) => (attempt === 1 ? Promise.reject(OVERLOADED) : new Promise(() => {})),
    }
    const { failures } = await asked(time, member)
    expect(failures).toMatchObject([{ class: 'transient', attempts: 2 }])
    expect(time.monotonic()).toBe(270_000)
  })

  it('that was refused is not asked again, and the others are not affected', async () => {
    const time = new FakeTime()
    const { member, starts } = scripted(time, 'a', [
      {
        afterMs: 2_000,
        with: inAnswer({ name: 'ProviderAuthError', data: { providerID: 'p', message: 'no key' } }),
      },
    ])
    const result = await asked(time, member)
    expect(starts).toHaveLength(1)
    expect(result.failures).toMatchObject([{ class: 'permanent', attempts: 1 }])
    expect(names(result.successes)).toEqual(['x', 'y'])
  })

  it('waits as long as it was told, if that fits', async () => {
    const time = new FakeTime()
    const limited = {
      ...OVERLOADED,
      data: { message: 'Too Many Requests', statusCode: 429, responseHeaders: { 'retry-after': '20' } },
    }
    const { member, starts } = scripted(time, 'a', [{ afterMs: 0, with: inAnswer(limited) }])
    await asked(time, member)
    expect(starts).toEqual([0, 20_000])
  })

  it('never starts its second try once the quorum is reached during its wait', async () => {
    const time = new FakeTime()
    const { member, starts } = scripted(time, 'a', [{ afterMs: 5, with: inAnswer(OVERLOADED) }])
    const result = await time.until(
      council<unknown>([member, answering(time, 'x', 10), answering(time, 'y', 500)], {
        prompt: 'p',
        time,
        quorum: 2,
        random: () => 0.5,
      }),
    )
    expect(result.aborted).toEqual([{ member: 'a', attempts: 1 }])
    await time.advance(10_000)
    expect(starts).toHaveLength(1)
    expect(time.pending).toBe(0)
  })

  it('that was admitted only after the quorum is never asked', async () => {
    const time = new FakeTime()
    let admit = () => {}
    let released = 0
    let asks = 0
    const permit = { provider: 'p', succeeded() {}, failed() {}, released: () => void released++ }
    const gate = {
      choose: () =>
        new Promise<{ permit: typeof permit; passedOver: [] }>(resolve => {
          admit = () => resolve({ permit, passedOver: [] })
        }),
      outlook: () => ({ otherProviderAvailable: false }),
      mayRetry: () => true,
    }
    const late: CouncilMember<string> = { name: 'late', provider: 'p', ask: () => `${++asks}` }
    const result = await time.until(
      council([answering(time, 'a', 1), answering(time, 'b', 2), late], {
        prompt: 'p',
        time,
        quorum: 2,
        health: gate,
      }),
    )
    expect(result.aborted).toEqual([{ member: 'late', attempts: 0 }])
    admit()
    await time.advance(1)
    expect({ asks, released }).toEqual({ asks: 0, released: 1 })
  })
})

describe('the aggregator', () => {
  it('gets the summary and returns one answer, within its own budget', async () => {
    const time = new FakeTime()
    let prompt = ''
    const result = await ask<string>(
      time,
      [answering(time, 'a', 1), failing('b', new Error('boom')), answering(time, 'c', 5)],
      {
        aggregator: {
          aggregate: ({ summary }, { remainingMs }) => {
            prompt = summary
            return `all agree, ${remainingMs} ms left`
          },
        },
      },
    )
    expect(result.aggregation).toMatchObject({ ok: true, value: 'all agree, 120000 ms left', attempts: 1 })
    expect(prompt).toContain('# Original review prompt\n\nreview this')
    expect(prompt).toMatch(/Failed or timed out:\n- b: .*boom/)
  })

  it('that fails does not lose the answers', async () => {
    const time = new FakeTime()
    const result = await ask<string>(time, [answering(time, 'a', 1), answering(time, 'b', 1)], {
      aggregator: { aggregate: () => new Promise(() => {}), budgetMs: 700 },
    })
    expect(result.successes).toHaveLength(2)
    expect(result.aggregation).toMatchObject({ ok: false, failure: { class: 'timeout' } })
    expect(time.monotonic()).toBe(701)
  })

  it('is not called with too few answers, nor after the cap', async () => {
    const time = new FakeTime()
    let calls = 0
    const aggregator = { aggregate: () => ++calls, budgetMs: 100 }
    await failure(ask<number>(time, [answering(time, 'a', 1), failing('b', new Error('x'))], { aggregator }))
    await failure(
      ask<number>(time, [answering(time, 'a', 1), answering(time, 'b', 1), never('c')], {
        aggregator,
        hardCapMs: 50,
        onWarning: () => {},
      }),
    )
    expect(calls).toBe(0)
  })

  it('is not stopped by the quorum reached before it', async () => {
    const time = new FakeTime()
    const result = await ask<string>(time, [answering(time, 'a', 1), answering(time, 'b', 1), never('c')], {
      quorum: 2,
      aggregator: {
        aggregate: async (_answers, { signal }) => {
          await sleep(time, 10, signal)
          return 'done'
        },
      },
    })
    expect(result.aggregation).toMatchObject({ ok: true, value: 'done' })
  })
})

describe('for any behaviour of the members', () => {
  type Behaviour = { afterMs: number; how: 'answer' | 'throw' | 'overloaded' | 'hang' }
  const behaviour = fc.record<Behaviour>({
    afterMs: fc.integer({ min: 0, max: 300_000 }),
    how: fc.constantFrom('answer', 'throw', 'overloaded', 'hang'),
  })
  const setup = fc.record({
    members: fc.array(fc.array(behaviour, { minLength: 2, maxLength: 2 }), { minLength: 2, maxLength: 5 }),
    quorum: fc.integer({ min: 2, max: 5 }),
    budgetMs: fc.integer({ min: 1, max: 400_000 }),
    graceMs: fc.integer({ min: 0, max: 50_000 }),
    hardCapMs: fc.option(fc.integer({ min: 1, max: 500_000 }), { nil: undefined }),
    listens: fc.boolean(),
  })

  it('a council ends in time, counts each member once, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(setup, async ({ members, listens, ...options }) => {
        const time = new FakeTime()
        const signals: AbortSignal[] = []
        const running = new Set<AbortSignal>()
        const list = members.map(
          (tries, index): CouncilMember<string> => ({
            name: `m${index}`,
            ask: async ({ attempt, signal }) => {
              signals.push(signal)
              running.add(signal)
              const { afterMs, how } = tries[attempt - 1] as Behaviour
              if (how === 'hang') await new Promise(() => {})
              await sleep(time, afterMs, listens ? signal : undefined)
              running.delete(signal)
              if (how === 'throw') throw new Error('boom')
              if (how === 'overloaded') throw OVERLOADED
              return 'answer'
            },
          }),
        )
        const hardCapMs = options.hardCapMs ?? options.budgetMs + 120_000 + options.graceMs + 30_000
        const { hardCapMs: given, ...rest } = options
        const asked = council(list, {
          prompt: 'p',
          time,
          random: () => 0,
          onWarning: () => {},
          ...rest,
          ...(given === undefined ? {} : { hardCapMs: given }),
        })
        const answers = await time.until(
          asked.then(
            (result: CouncilResult<string>) => {
              expect(result.successes.length).toBeGreaterThanOrEqual(2)
              return result
            },
            (error: CouncilFailed<string>) => error.answers,
          ),
        )
        expect(time.monotonic()).toBeLessThanOrEqual(Math.min(hardCapMs, options.budgetMs + options.graceMs))
        const counted = [...answers.successes, ...answers.failures, ...answers.aborted]
        expect(counted.map(({ member }) => member).toSorted()).toEqual(list.map(({ name }) => name))
        for (const { attempts } of counted) expect(attempts).toBeLessThanOrEqual(2)
        for (const signal of running) expect(signal.aborted).toBe(true)
        if (listens) expect(time.pending).toBe(0)
        const before = signals.length
        await time.advance(1_000_000)
        expect(signals.length).toBe(before)
      }),
      { numRuns: sampled(300) },
    )
  })
})

describe('a council survives', () => {
  const textOf = () => {
    throw new Error('it has no text')
  }

  it('an answer that cannot be rendered as text', async () => {
    const time = new FakeTime()
    const members = [answering(time, 'a', 1), answering(time, 'b', 1)]
    const { summary } = await ask(time, members, { textOf })
    expect(summary).toContain('answer of a')
  })

  it('such an answer even when the cap passes, where nothing else would catch the error', async () => {
    const time = new FakeTime()
    const asked = ask(time, [answering(time, 'a', 1), never('b')], {
      textOf,
      hardCapMs: 500,
      onWarning: () => {},
    })
    expect(await failure(asked)).toMatchObject({
      because: 'hard_cap',
      message: 'council timed out after 500ms',
    })
  })

  it.each<[string, object, string]>([
    ['a provider without a name', { aggregate: () => '', provider: '' }, 'provider must be the name'],
    ['no function', {}, 'the aggregator needs a function `aggregate`'],
  ])(
    'an aggregator with %s: it says so before any member is asked and paid',
    async (_title, aggregator, message) => {
      let asked = 0
      const counting = (name: string) => ({ name, ask: () => String(asked++) })
      const council = ask(new FakeTime(), [counting('a'), counting('b')], { aggregator: aggregator as never })
      await expect(council).rejects.toThrow(message)
      expect(asked).toBe(0)
    },
  )
})

it('asks each member the question', async () => {
  const heard: string[] = []
  const ask = async (_context: unknown, prompt: string) => heard.push(prompt)
  const members = [
    { name: 'a', ask },
    { name: 'b', ask },
  ]
  await council(members, { prompt: 'well?' })
  expect(heard).toEqual(['well?', 'well?'])
})
