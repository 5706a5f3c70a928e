import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { CapabilitySettings } from './capability.ts'
import { defineCapability } from './define.ts'
import { askFailure, askResult, type HookProblem } from './hooks.ts'
import { Mask } from './secret/mask.ts'

const circumstances = { now: 1_000 } as Circumstances
const about = {
  circumstances,
  operationId: 'op_1',
  run: 1,
  attempt: 1,
  attempts: [],
  provider: undefined,
  context: undefined,
  session: undefined,
}
const failure = classify(new Error('503')) as Failure
const verdict: Verdict = { action: 'retry', delayMs: 10, mode: 'again', reason: 'r', rule: 'x' }
const park: Verdict = { action: 'park', for: 'label', reason: 'ask a person', rule: 'mine' }

type Hooks = Pick<CapabilitySettings<unknown, unknown>, 'handleFailure' | 'handleResult'>

function setup(hooks: Hooks) {
  const problems: HookProblem[] = []
  const time = new FakeTime()
  const controller = new AbortController()
  const capability = defineCapability({
    retry: 'none',
    name: 'work',
    params: z.unknown(),
    run: () => 1 as unknown,
    ...hooks,
  })
  const context = { ...about, params: { id: 5 }, signal: controller.signal }
  const tools = { report: (problem: HookProblem) => problems.push(problem), time }
  return {
    problems,
    time,
    controller,
    onFailure: () => askFailure(capability, failure, verdict, context, tools),
    onResult: () => askResult(capability, 'result', context, tools),
  }
}

describe('a hook that knows the result', () => {
  it('answers with it, and is named in the answer', async () => {
    const known = { succeeded: { id: 7 }, reason: 'it was there already' }
    const { onFailure, onResult, problems } = setup({ handleFailure: () => known, handleResult: () => known })
    expect(await onFailure()).toEqual({ ...known, by: 'handleFailure of work' })
    expect(await onResult()).toEqual({ ...known, by: 'handleResult of work' })
    expect(problems).toEqual([])
  })

  it.each<[string, object, string]>([
    ['without a reason', { succeeded: 1 }, 'a success needs a reason'],
    ['a promise', { succeeded: Promise.resolve(1), reason: 'r' }, 'a promise cannot be a result'],
    ['a function', { succeeded: () => 1, reason: 'r' }, 'a function cannot be a result'],
  ])('and returns it as %s is reported, and the decision stands', async (_, answer, problem) => {
    const { onFailure, problems } = setup({ handleFailure: () => answer as never })
    expect(await onFailure()).toBeUndefined()
    expect(problems).toEqual([{ capability: 'work', hook: 'handleFailure', problem }])
  })
})

describe('handleFailure', () => {
  it('changes the verdict, synchronously or not, and sees what it needs', async () => {
    const seen: unknown[] = []
    const { onFailure, problems } = setup({
      handleFailure: async (...given) => {
        seen.push(given)
        return park
      },
    })
    expect(await onFailure()).toBe(park)
    expect(seen).toMatchObject([[failure, verdict, { params: { id: 5 }, circumstances }]])
    expect(problems).toEqual([])
  })

  it('lets the verdict stand by returning undefined, or by being absent', async () => {
    for (const hooks of [{}, { handleFailure: () => undefined }]) {
      const { onFailure, problems } = setup(hooks)
      expect(await onFailure()).toBeUndefined()
      expect(problems).toEqual([])
    }
  })

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new TypeError('x is not a function')
      },
      'it threw TypeError: x is not a function',
    ],
    ['rejects', () => Promise.reject('no'), 'it threw "no"'],
    ['answers a word', () => 'retry', '"retry" is not a verdict'],
    ['invents an action', () => ({ action: 'explode' }), 'unknown action "explode"'],
    ['forgets the reason', () => ({ action: 'failover', rule: 'x' }), 'a failover needs a reason'],
    [
      'snoozes into the past',
      () => ({ ...park, action: 'snooze', until: 5, mode: 'again' }),
      'must end after now',
    ],
    ['answers like handleResult', () => ({ failed: 'x' }), 'unknown action undefined'],
  ])('that %s is reported by name, and the verdict stands', async (_what, hook, problem) => {
    const { onFailure, problems } = setup({ handleFailure: hook as never })
    expect(await onFailure()).toBeUndefined()
    expect(problems).toEqual([
      { capability: 'work', hook: 'handleFailure', problem: expect.stringContaining(problem) },
    ])
  })

  it('that hangs is not waited for beyond its limit or an abort', async () => {
    const hanging = setup({ handleFailure: () => new Promise(() => {}) })
    expect(await hanging.time.until(hanging.onFailure())).toBeUndefined()
    expect(hanging.problems).toMatchObject([{ problem: 'no answer within 30000 ms' }])
    const stopped = setup({ handleFailure: () => new Promise(() => {}) })
    const asked = stopped.onFailure()
    stopped.controller.abort()
    expect(await asked).toBeUndefined()
    expect(stopped.problems).toMatchObject([{ problem: 'it was asked to stop' }])
  })
})

it('a report about a hook hides the secrets of the run', async () => {
  const capability = defineCapability({
    retry: 'none',
    name: 'work',
    params: z.unknown(),
    run: () => 1,
    handleFailure: () => Promise.reject(new Error('no route for hunter2')),
  })
  const problems: HookProblem[] = []
  const context = { ...about, params: {}, signal: new AbortController().signal }
  const tools = { report: (problem: HookProblem) => problems.push(problem), mask: new Mask(['hunter2']) }
  await askFailure(capability, failure, verdict, context, tools)
  expect(problems).toMatchObject([{ problem: 'it threw Error: no route for ***REDACTED***' }])
})

describe('handleResult', () => {
  it('may accept a result, turn it into a failure, or give a verdict', async () => {
    expect(await setup({ handleResult: () => undefined }).onResult()).toBeUndefined()
    expect(await setup({ handleResult: () => park }).onResult()).toBe(park)
    const failed = { failed: { status: 503 } }
    expect(await setup({ handleResult: async () => failed }).onResult()).toBe(failed)
  })

  it('that answers something invalid is reported by name, and the result counts', async () => {
    const { onResult, problems } = setup({ handleResult: (() => 'ok') as never })
    expect(await onResult()).toBeUndefined()
    expect(problems).toMatchObject([{ capability: 'work', hook: 'handleResult' }])
  })
})
