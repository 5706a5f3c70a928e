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
