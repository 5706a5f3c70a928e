import { expect, it } from 'vitest'
import type { RunStanding } from './progress.ts'
import { RememberedRuns } from './remembered-runs.ts'

const runOf = (id: string, more: Partial<RunStanding> = {}): RunStanding => ({
  id,
  workflow: 'w',
  plan: 'plan_1',
  params: {},
  state: 'running',
  version: 1,
  createdAt: 0,
  steps: [],
  ...more,
})

it('a run is found only by the version written last', () => {
  const runs = new RememberedRuns()
  const second = runOf('wf_1', { version: 2 })
  runs.remember(runOf('wf_1'))
  runs.remember(second)
  expect([1, 2, 3].map(version => runs.of('wf_1', version))).toEqual([undefined, second, undefined])
  expect(runs.of('wf_2', 2)).toBeUndefined()
})

it('an ended run is dropped', () => {
  const runs = new RememberedRuns()
  runs.remember(runOf('wf_1'))
  runs.remember(runOf('wf_1', { version: 2, state: 'succeeded' }))
  expect([1, 2].map(version => runs.of('wf_1', version))).toEqual([undefined, undefined])
})

it('runs with large parameters push out the least recently changed ones', () => {
  const runs = new RememberedRuns()
  const large = { text: 'x'.repeat(2 ** 20) }
  for (let n = 1; n <= 10; n++) {
    runs.remember(runOf(`wf_${n}`, { params: large }))
    runs.remember(runOf('wf_1', { params: large, version: n }))
  }
  const known = Array.from({ length: 10 }, (_, n) => n + 1).filter(n => runs.of(`wf_${n}`, n === 1 ? 10 : 1))
  expect(known).toEqual([1, 5, 6, 7, 8, 9, 10])
})
