import { expect, it } from 'vitest'
import type { PlanStep } from '../plan/plan.ts'
import { Graph } from './graph.ts'
import { Progress, type StepStanding } from './progress.ts'

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  run: 'x',
  after: [],
  onFail: 'skip_dependents',
  ...more,
})
const progressOf = (steps: readonly PlanStep[], ...records: StepStanding[]) =>
  new Progress(
    {
      id: 'wf_1',
      workflow: 'w',
      plan: 'plan_1',
      params: {},
      state: 'running',
      version: 1,
      createdAt: 0,
      steps: records,
    },
    new Graph({ name: 'w', steps }),
  )
const failed = (place: number): StepStanding => ({
  step: place,
  state: 'failed',
  operation: `op_${place}`,
  operations: 1,
})

it('running a step again resets steps skipped because of failures, not those a person skipped', () => {
  const steps = [step('a'), step('b'), ...['c', 'd', 'e'].map(id => step(id, { after: ['a', 'b'] }))]
  const skipped = (place: number, cause?: number): StepStanding => ({
    step: place,
    state: 'skipped',
    operations: 0,
    ...(cause === undefined ? {} : { cause }),
  })
  const progress = progressOf(steps, failed(0), failed(1), skipped(2, 0), skipped(3, 1), skipped(4))
  progress.reopen(1)
  expect(steps.map((_, place) => progress.standing(place).state)).toEqual([
    'failed',
    'open',
    'none',
    'none',
    'skipped',
  ])
  // The other failure still prevents both from running.
  expect(progress.settleReady()).toEqual([])
  expect([2, 3].map(place => progress.standing(place))).toMatchObject([
    { state: 'skipped', cause: 0 },
    { state: 'skipped', cause: 0 },
  ])
})

it('an optional step never aborts its run, even with on_fail abort', () => {
  const progress = progressOf([step('a', { optional: true, onFail: 'abort' }), step('b', { after: ['a'] })])
  progress.fail(0, 'refused')
  expect(progress.state).toBe('running')
  expect(progress.settleReady()).toEqual([1])
})

it('steps about to start or ask when the run ends never do', () => {
  const progress = progressOf([step('a'), step('b'), step('c', { onFail: 'abort' })])
  progress.start(0, { capability: 'x', params: {} })
  progress.ask(1, 'Really?')
  progress.fail(2, 'refused')
  expect(progress.state).toBe('failed')
  expect([0, 1].map(place => progress.standing(place).state)).toEqual(['none', 'none'])
  expect(progress.cancels.size).toBe(0)
})

it('a step that failed by itself keeps its failure if the run ends before it could run again', () => {
  const progress = progressOf([step('a'), step('b', { onFail: 'abort' })], failed(0))
  progress.revives.add('op_0')
  progress.reopen(0)
  progress.fail(1, 'refused')
  expect(progress.changes.has(0)).toBe(false)
  expect(progress.standing(0)).toEqual(failed(0))
  expect(progress.revives.size).toBe(0)
  expect(progress.cancels.size).toBe(0)
})

it('a step that only the end of its run cancelled says so if the run ends again before it could continue', () => {
  const cancelled: StepStanding = { step: 0, state: 'open', operation: 'op_0', operations: 1, cause: 0 }
  const progress = progressOf([step('a'), step('b', { onFail: 'abort' })], cancelled)
  progress.revives.add('op_0')
  progress.reopen(0)
  progress.fail(1, 'refused')
  expect(progress.standing(0)).toMatchObject({
    state: 'failed',
    reason: 'cancelled: the run was aborted because b failed',
    cause: 0,
  })
})

const open = (place: number, more: Partial<StepStanding> = {}): StepStanding => ({
  step: place,
  state: 'open',
  operation: `op_${place}`,
  operations: 1,
  ...more,
})
const succeeded = (place: number): StepStanding => ({ ...open(place), state: 'succeeded' })
const starts = { capability: 'x', params: {} }

it('nothing is to be written as long as nothing changes', () => {
  const progress = progressOf([step('a'), step('b')], open(0))
  expect(progress).toMatchObject({ hasChanged: false, isMoved: false, state: 'running', reason: undefined })
  expect(progress.settleReady()).toEqual([1])
  expect(progress.hasChanged).toBe(false)
  expect(progress.record(0)).toEqual(open(0))
  expect(progress.record(1)).toBeUndefined()
})

it.each<[string, (progress: Progress) => void]>([
  ['a changed step', progress => progress.skip(1, 'not needed')],
  ['an end of the run', progress => progress.end('cancelled', 'ada', 'by ada')],
  ['an action', progress => Object.assign(progress, { action: { type: 'skip', by: 'ada' } })],
  ['an operation to hasten', progress => progress.hastens.add('op_0')],
])('%s is to be written', (_what, change) => {
  const progress = progressOf([step('a'), step('b')], succeeded(0))
  change(progress)
  expect(progress.hasChanged).toBe(true)
})

it.each([
  ['succeeded', undefined, [succeeded(0), succeeded(1)], {}],
  ['failed', 'a and b failed', [failed(0), failed(1)], {}],
  ['succeeded', undefined, [failed(0), failed(1)], { optional: true }],
] as const)('a run ends as %s once all its steps have', (state, reason, records, more) => {
  const progress = progressOf([step('a', more), step('b', more)], ...records)
  expect(progress.settleReady()).toEqual([])
  expect(progress).toMatchObject({ state, reason, isMoved: true })
})

it('a run does not end while a step is open, and a run that has ended starts nothing', () => {
  const progress = progressOf([step('a'), step('b', { after: ['a'] })], open(0))
  expect(progress.settleReady()).toEqual([])
  expect(progress.state).toBe('running')
  progress.end('cancelled', 'ada cancelled it', 'ada cancelled the run')
  expect(progress).toMatchObject({ state: 'cancelled', reason: 'ada cancelled it', isMoved: true })
  expect(progress.cancels).toEqual(new Map([['op_0', 'ada cancelled the run']]))
  expect(progress.standing(0)).toEqual({ state: 'open', operation: 'op_0', operations: 1, cause: 0 })
  progress.succeed(0, { result: 1 })
  expect(progress.settleReady()).toEqual([])
})

it('the end of a run leaves ended steps, and open ones without an operation, as they are', () => {
  const steps = [step('a'), step('b'), step('c')]
  const { operation: _, ...bare } = open(2)
  const progress = progressOf(steps, succeeded(0), failed(1), bare)
  progress.end('failed', 'c', 'c')
  expect(progress.changes.size).toBe(0)
  expect(progress.cancels.size).toBe(0)
})

it('failed dependencies skip all that follows in any order of the plan, unless they may fail', () => {
  const steps = [step('c', { after: ['b'] }), step('b', { after: ['a'] }), step('a')]
  const progress = progressOf(steps)
  expect(progress.settleReady()).toEqual([2])
  progress.fail(2, 'refused')
  expect(progress.settleReady()).toEqual([])
  expect([0, 1].map(place => progress.standing(place))).toEqual([
    { state: 'skipped', reason: 'a failed', cause: 2 },
    { state: 'skipped', reason: 'a failed', cause: 2 },
  ])
  expect(progress).toMatchObject({ state: 'failed', reason: 'a failed' })
  const lenient = progressOf([step('a', { onFail: 'continue' }), step('b', { after: ['a'] })], failed(0))
  expect(lenient.settleReady()).toEqual([1])
})

it('a step waits for all its dependencies, and runs after one that a person skipped', () => {
  const progress = progressOf([step('a'), step('b'), step('c', { after: ['a', 'b'] })], succeeded(0), open(1))
  expect(progress.settleReady()).toEqual([])
  progress.skip(1, 'not needed', { by: 'ada' })
  expect(progress.standing(1)).toEqual({ state: 'skipped', reason: 'not needed', by: 'ada' })
  expect(progress.cancels).toEqual(new Map([['op_1', 'its step was skipped: not needed']]))
  expect(progress.settleReady()).toEqual([2])
})

it('a supplied result cancels the operation of its step, its own end does not', () => {
  const supplied = progressOf([step('a')], open(0))
  supplied.succeed(0, { result: 1 }, 'ada')
  expect(supplied.standing(0)).toEqual({ state: 'succeeded', result: 1, by: 'ada' })
  expect(supplied.cancels).toEqual(new Map([['op_0', 'the result of its step was supplied']]))
  const ended = progressOf([step('a')], open(0))
  ended.settled(0)
  ended.succeed(0, { result: 1 })
  expect(ended.standing(0)).toEqual({ state: 'succeeded', result: 1 })
  expect(ended.cancels.size).toBe(0)
  const asked = progressOf([step('a')], succeeded(0))
  asked.succeed(0, { result: 2 }, 'ada')
  expect(asked.cancels.size).toBe(0)
})

it('a failure aborts a run that is still running, and says which step failed', () => {
  const steps = [step('a', { onFail: 'abort' }), step('b')]
  const progress = progressOf(steps, open(0), open(1))
  progress.settled(0)
  progress.fail(0, 'refused')
  expect(progress).toMatchObject({ state: 'failed', reason: 'a failed: refused' })
  expect(progress.standing(0)).toEqual({ state: 'failed', reason: 'refused' })
  expect(progress.cancels).toEqual(new Map([['op_1', 'the run was aborted because a failed']]))
  const over = new Progress({ ...progress.run, state: 'cancelled' }, new Graph({ name: 'w', steps }))
  over.fail(0, 'refused', true)
  expect(over).toMatchObject({ state: 'cancelled', isMoved: false })
  expect(over.standing(0)).toEqual({ state: 'failed', reason: 'refused', cause: 0 })
})

it('a step that runs again opens its run, and waits for an operation that is still being stopped', () => {
  const { run, graph } = progressOf([step('a')], failed(0))
  const progress = new Progress({ ...run, state: 'failed' }, graph)
  progress.reopen(0, 5, true)
  expect(progress.standing(0)).toEqual({
    state: 'open',
    operation: 'op_0',
    operations: 1,
    deadline: 5,
    cause: 0,
  })
  expect(progress).toMatchObject({ state: 'running', isMoved: true })
  const plain = progressOf([step('a')], failed(0))
  plain.reopen(0)
  expect(plain.standing(0)).toEqual({ state: 'open', operation: 'op_0', operations: 1 })
  expect(plain.isMoved).toBe(false)
})

it('a run that these changes ended and opened again has not moved', () => {
  const progress = progressOf([step('a')], open(0))
  progress.end('failed', 'a failed', 'a failed')
  progress.open()
  expect(progress).toMatchObject({ state: 'running', reason: undefined, isMoved: false })
})

it.each([
  [true, open(0, { cause: 0 })],
  [true, { ...failed(0), cause: 0 }],
  [false, open(0)],
  [false, { ...succeeded(0), cause: 0 }],
  [false, open(0, { cause: 1 })],
  [false, undefined],
] as const)('says %s to whether only the end of the run cancelled %j', (expected, record) => {
  expect(progressOf([step('a'), step('b')], ...(record ? [record] : [])).isCancelledByEnd(0)).toBe(expected)
})

it('a forgotten step lets its operation go', () => {
  const progress = progressOf([step('a'), step('b')], open(0))
  progress.start(1, starts)
  progress.forget(0, 'it starts over')
  progress.forget(1, 'it starts over')
  expect([...progress.changes]).toEqual([[0, { state: 'none' }]])
  expect(progress.cancels).toEqual(new Map([['op_0', 'it starts over']]))
})

it('knows the run as it is once it is written', () => {
  const steps = ['a', 'b', 'c', 'd', 'e'].map(id => step(id))
  const progress = progressOf(steps, open(0), failed(1), open(2), succeeded(4)).as('wf_7')
  progress.start(1, starts, 9)
  progress.start(3, starts)
  progress.forget(0, 'over')
  progress.skip(2, 'a failed', { cause: 0 })
  expect(progress.standing(1)).toEqual({ state: 'open', starts, operations: 2, deadline: 9 })
  expect(progress.standing(3)).toEqual({ state: 'open', starts, operations: 1 })
  expect(
    progress.written(
      new Map([
        [1, 'op_8'],
        [3, 'op_9'],
      ]),
    ),
  ).toEqual({
    id: 'wf_7',
    workflow: 'w',
    plan: 'plan_1',
    params: {},
    createdAt: 0,
    state: 'running',
    version: 2,
    steps: [
      { step: 1, state: 'open', operation: 'op_8', operations: 2 },
      { step: 2, state: 'skipped', operation: 'op_2', operations: 1, cause: 0 },
      { step: 3, state: 'open', operation: 'op_9', operations: 1 },
      succeeded(4),
    ],
  })
})
