import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import { defineCapability } from '../capability/define.ts'
import { PROMPT_CAPABILITY } from '../capability/prompt-capability.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineGroup } from './define-group.ts'
import { Groups } from './groups.ts'

const HOUR = 3_600_000
let time: FakeTime
let queue: OpenedQueue
let groups: Groups
let running = 0
let mostRunning = 0
const ran: number[] = []
/** Functions that end the work of an input; work without one ends at once. */
const ends = new Map<number, () => void>()
/** The failures of an input, one for each run, until none is left. */
const failures = new Map<number, Error[]>()

const review = defineCapability({
  name: 'review',
  params: z.object({ n: z.number(), text: z.string().optional() }),
  retry: 'replay',
  run: async ({ n, text }, { charge, signal }) => {
    ran.push(n)
    mostRunning = Math.max(mostRunning, ++running)
    try {
      charge({ usd: 1 })
      const failure = failures.get(n)?.shift()
      if (failure) throw failure
      if (waits.has(n))
        await new Promise<void>((resolve, reject) => {
          ends.set(n, resolve)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      return { n, text: text ?? null }
    } finally {
      running--
    }
  },
})
const waits = new Set<number>()

beforeEach(async () => {
  time = new FakeTime()
  running = 0
  mostRunning = 0
  ran.length = 0
  for (const each of [ends, failures, waits]) each.clear()
  ;({ queue } = await testQueue({ capabilities: [review], time }))
  groups = new Groups(queue)
})
afterEach(async () => {
  waits.clear()
  for (const end of ends.values()) end()
  await time.advance(0)
  await closeChecked(queue)
})

const inputs = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index }))
const limited = () =>
  Object.assign(new Error("You've hit your usage limit"), {
    status: 429,
    headers: { 'retry-after': '3600' },
  })
const unknown = () => new Error('the flux is out of phase')
const failed = () => Object.assign(new Error('400 invalid request'), { status: 400 })
const statesOf = async (name: string) => (await groups.show(name)).members.map(({ view }) => view.state)

describe('a group', () => {
  it('returns results in the order of the inputs, in whatever order they end', async () => {
    failures.set(1, [failed()])
    waits.add(0)
    await queue.runner().start()
    const group = await queue.start(defineGroup({ name: 'reviews', run: review }), inputs(3))
    await time.advance(0)
    expect(await statesOf('reviews')).toEqual(['running', 'failed', 'succeeded'])
    ends.get(0)?.()
    const results = await group.wait()
    expect(results.map(({ state }) => state)).toEqual(['succeeded', 'failed', 'succeeded'])
    expect(results[0]).toEqual({ state: 'succeeded', value: { n: 0, text: null } })
    expect(results[1]).toMatchObject({ reason: expect.stringContaining('400 invalid request') })
  })

  it('waits for a runner, not for a place, while there is no runner', async () => {
    await queue.start(defineGroup({ name: 'reviews', run: review, maxRunning: 1 }), inputs(2))
    const { members } = await groups.show('reviews')
    expect(members.map(({ view }) => [view.state, view.wait?.what])).toEqual(
      Array(2).fill(['ready', 'a runner that continues workflows']),
    )
  })

  it('never exceeds its limit on runs at once, over everything started under its name', async () => {
    for (const { n } of inputs(6)) waits.add(n)
    await queue.runner({ concurrency: 10 }).start()
    const two = defineGroup({ name: 'reviews', run: review, maxRunning: 2 })
    await queue.start(two, inputs(4))
    await queue.start(two, [{ n: 4 }, { n: 5 }])
    await time.advance(0)
    expect(ran.toSorted()).toEqual([0, 1])
    expect(await statesOf('reviews')).toEqual(['running', 'running', ...Array(4).fill('pending')])
    expect((await groups.show('reviews')).members[2]?.view.wait?.what).toBe('a place in its group')
    for (const [n, next] of [
      [1, 2],
      [0, 3],
      [2, 4],
      [3, 5],
    ] as const) {
      ends.get(n)?.()
      await time.advance(0)
      expect(ran.at(-1)).toBe(next)
    }
    expect(mostRunning).toBe(2)
  })

  it('starts what was handed in first before what came later', async () => {
    const reviews = defineGroup({ name: 'reviews', run: review, maxRunning: 1 })
    waits.add(0)
    await queue.runner().start()
    const first = await queue.start(reviews, inputs(3))
    await time.advance(1_000)
    const second = await queue.start(
      reviews,
      [3, 4].map(n => ({ n })),
    )
    await time.advance(1_000)
    ends.get(0)?.()
    await first.wait()
    await second.wait()
    expect(ran).toEqual([0, 1, 2, 3, 4])
  })

  it('gives the place of a run that waits for a person to the next', async () => {
    failures.set(0, [unknown(), unknown()])
    await queue.runner().start()
    await queue.start(defineGroup({ name: 'reviews', run: review, maxRunning: 1 }), inputs(3))
    await time.advance(HOUR)
    const [first, ...others] = await statesOf('reviews')
    expect(others).toEqual(['succeeded', 'succeeded'])
    expect(['waiting', 'succeeded', 'failed']).toContain(first)
  })

  it('starts no more runs once its cost limit is spent, and keeps finished results', async () => {
    await queue.runner().start()
    const group = await queue.start(
      defineGroup({ name: 'reviews', run: review, maxRunning: 1, maxCostUsd: 2 }),
      inputs(5),
    )
    await time.advance(0)
    const results = await group.wait()
    expect(results.map(({ state }) => state)).toEqual([
      'succeeded',
      'succeeded',
      'failed',
      'failed',
      'failed',
    ])
    expect(results[4]).toEqual({ state: 'failed', reason: 'stopped: the group has spent $2 of $2' })
    expect((await groups.show('reviews')).costUsd).toBe(2)
  })

  it('limits the cost of a prompt to what is left when it starts, and to its own limit', async () => {
    await closeChecked(queue)
    const limits: unknown[] = []
    const prompt = defineCapability({
      name: PROMPT_CAPABILITY,
      params: z.looseObject({ options: z.looseObject({ max_budget_usd: z.number() }).optional() }),
      retry: 'replay',
      run: ({ options }, { charge }) => {
        limits.push(options)
        charge({ usd: 2 })
      },
    })
    ;({ queue } = await testQueue({ capabilities: [prompt], time }))
    await queue.runner().start()
    const group = await queue.start(
      defineGroup({ name: 'prompts', run: prompt, maxRunning: 1, maxCostUsd: 5 }),
      [{}, { options: { model: 'm', max_budget_usd: 1 } }, { options: { max_budget_usd: 9 } }],
    )
    await group.wait()
    expect(limits).toEqual([{ max_budget_usd: 5 }, { model: 'm', max_budget_usd: 1 }, { max_budget_usd: 1 }])
  })

  it('waits together when the shared provider reaches its limit, and continues automatically', async () => {
    await closeChecked(queue)
    ;({ queue } = await testQueue({ capabilities: [review], time, providers: ['claude'] } as never))
    groups = new Groups(queue)
    failures.set(1, [limited()])
    await queue.runner({ concurrency: 1 }).start()
    const group = await queue.start(
      defineGroup({ name: 'reviews', run: review, providers: ['claude'], maxRunning: 2 }),
      inputs(5),
    )
    await time.advance(60_000)
    const before = ran.length
    expect(before).toBeLessThan(5)
    expect(await statesOf('reviews')).not.toContain('failed')
    await time.advance(30 * 60_000)
    expect(ran.length).toBe(before)
    await time.advance(2 * HOUR)
    expect((await group.wait()).map(({ state }) => state)).toEqual(Array(5).fill('succeeded'))
    expect(ran.filter(n => n !== 1).sort()).toEqual([0, 2, 3, 4])
  })

  it('shows until when a provider holds it, and expects its end after that', async () => {
    await closeChecked(queue)
    ;({ queue } = await testQueue({ capabilities: [review], time, providers: ['claude'] } as never))
    groups = new Groups(queue)
    failures.set(1, [limited()])
    await queue.runner({ concurrency: 1 }).start()
    await queue.start(defineGroup({ name: 'reviews', run: review, providers: ['claude'] }), inputs(4))
    await time.advance(60_000)
    const { members, expectedEndAt = 0 } = await groups.show('reviews')
    const held = members.find(({ view }) => view.state === 'waiting')?.view.wait
    expect(held).toMatchObject({ what: expect.stringMatching(/^the provider claude/) })
    expect((held?.until ?? 0) - time.now()).toBeGreaterThan(58 * 60_000)
    expect(expectedEndAt).toBeGreaterThanOrEqual(held?.until ?? Infinity)
  })

  it('starts a new round once all runs have ended: with the full cost limit, without earlier runs', async () => {
    await queue.runner().start()
    const nightly = defineGroup({ name: 'nightly', run: review, maxCostUsd: 2 })
    for (const night of [1, 2, 3]) {
      const started = await queue.start(nightly, inputs(2))
      expect((await started.wait()).map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
      const { members, costUsd } = await groups.show('nightly')
      expect([members.map(({ run }) => run), costUsd]).toEqual([[`wf_${night}`, `wf_${night}`], 2])
      await time.advance(60_000)
    }
  })

  it('shares its cost limit with runs started before all have ended', async () => {
    waits.add(9)
    await queue.runner().start()
    const group = defineGroup({ name: 'reviews', run: review, maxCostUsd: 2 })
    await queue.start(group, [{ n: 9 }])
    const second = await queue.start(group, inputs(2))
    await second.wait()
    await time.advance(60_000)
    const third = await queue.start(group, [{ n: 3 }])
    expect(await third.wait()).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('$2 of $2') },
    ])
    expect((await groups.show('reviews')).members.map(({ run }) => run)).toEqual([
      'wf_1',
      'wf_2',
      'wf_2',
      'wf_3',
    ])
  })

  it('gives the place of a run that could not start to the next', async () => {
    await closeChecked(queue)
    let isPicky = false
    const picky = defineCapability({
      name: 'picky',
      params: z.object({ n: z.number().refine(n => !isPicky || n > 1, 'too small') }),
      retry: 'replay',
      run: ({ n }) => n,
    })
    ;({ queue } = await testQueue({ capabilities: [picky], time }))
    const group = await queue.start(defineGroup({ name: 'g', run: picky, maxRunning: 1 }), inputs(4))
    isPicky = true
    await queue.runner().start()
    await time.advance(0)
    expect((await group.results()).map(({ state }) => state)).toEqual([
      'failed',
      'failed',
      'succeeded',
      'succeeded',
    ])
  })

  it('is cancelled even if one of its runs ends at the same time', async () => {
    for (const { n } of inputs(2)) waits.add(n)
    await queue.runner().start()
    const group = defineGroup({ name: 'reviews', run: review })
    const first = await queue.start(group, [{ n: 0 }])
    const second = await queue.start(group, [{ n: 1 }])
    await time.advance(0)
    const read = queue.ledger.workflowRun.bind(queue.ledger)
    // It ends after the group was read.
    vi.spyOn(queue.ledger, 'workflowRun').mockImplementationOnce(async id => {
      ends.get(0)?.()
      await first.wait()
      return read(id)
    })
    await groups.cancel('reviews')
    await time.advance(5_000)
    expect(await first.results()).toMatchObject([{ state: 'succeeded' }])
    expect(await second.results()).toMatchObject([{ state: 'failed' }])
  })

  it('is cancelled as a whole, and refuses a second cancel', async () => {
    for (const { n } of inputs(3)) waits.add(n)
    await queue.runner().start()
    await queue.start(defineGroup({ name: 'reviews', run: review, maxRunning: 2 }), inputs(3))
    await time.advance(0)
    expect(await groups.cancel('reviews', { by: 'ada' })).toBe(3)
    await time.advance(5_000)
    expect(await statesOf('reviews')).not.toContain('running')
    await expect(groups.cancel('reviews')).rejects.toThrow('all runs of group "reviews" have ended')
    expect(ran.toSorted()).toEqual([0, 1])
  })

  it('returns the same runs for the same key', async () => {
    const group = defineGroup({ name: 'reviews', run: review })
    const first = await queue.start(group, inputs(2), { key: 'monday' })
    const second = await queue.start(group, inputs(2), { key: 'monday' })
    expect([second.id, second.created]).toEqual([first.id, false])
  })

  it('never reads text in an input as a place', async () => {
    await queue.runner().start()
    const text = 'see {params.inputs[0].n} and {results.run_1}'
    const group = await queue.start(defineGroup({ name: 'reviews', run: review }), [{ n: 7, text }])
    expect(await group.wait()).toEqual([{ state: 'succeeded', value: { n: 7, text } }])
  })

  it('estimates when it will end', async () => {
    for (const { n } of inputs(4)) waits.add(n)
    await queue.runner().start()
    await queue.start(defineGroup({ name: 'reviews', run: review, maxRunning: 1 }), inputs(4))
    await time.advance(0)
    expect((await groups.show('reviews')).expectedEndAt).toBeUndefined()
    await time.advance(60_000)
    ends.get(0)?.()
    await time.advance(0)
    const { expectedEndAt = 0 } = await groups.show('reviews')
    expect(expectedEndAt - time.now()).toBe(3 * 60_000)
  })

  it.each([
    [
      { name: 'a b', run: review },
      'a group needs a name without spaces or quotes, such as "reviews", not "a b"',
    ],
    [{ name: 'g', run: review, maxRunning: 0 }, 'maxRunning must be a whole number above 0'],
    [{ name: 'g', run: review, maxCostUsd: -1 }, 'maxCostUsd must be above 0'],
    [{ name: 'g', run: review, maxRuning: 1 }, 'did you mean'],
  ])('refuses %j', async (definition, message) => {
    await expect(async () =>
      queue.start(defineGroup(definition as { name: string; run: typeof review }), inputs(1)),
    ).rejects.toThrow(message)
  })

  it.each([
    [[], 'at least one input'],
    [[5], 'input 1'],
    [[{ n: 1, 'a b': 2 }], '"a b" may contain only letters'],
    [[{ n: 1 }, { n: 'x' }], 'input 2: the parameters are invalid for capability "review": n'],
  ])('refuses the inputs %j', async (given, message) => {
    await expect(queue.start(defineGroup({ name: 'g', run: review }), given as never)).rejects.toThrow(
      message,
    )
  })

  it('suggests the nearest name for an unknown group', async () => {
    await queue.start(defineGroup({ name: 'reviews', run: review }), inputs(1))
    await expect(groups.show('review')).rejects.toThrow('there is no group "review"; did you mean "reviews"?')
  })
})
