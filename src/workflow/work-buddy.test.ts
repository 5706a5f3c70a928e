import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../capability/define.ts'
import type { Operation } from '../ledger/operation.ts'
import type { StepRecord, WorkflowRun } from '../ledger/workflow-run.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { type Vector, vectorsOf } from '../testing/test-vectors.ts'
import { closeChecked } from '../testing/test-work.ts'
import { defineWorkflow } from './define.ts'
import { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { MARKS } from './run-words.ts'
import { recordedStateOf, STEP_STATE_TABLE, stepStateOf } from './step-state.ts'
import { IDLE_AFTER_MS } from './workflow-times.ts'
import { Workflows } from './workflows.ts'

/**
 * The system that this one descends from had steps that wait for a retry, in the memory of one process. What they meant
 * holds here. What does not: a run that nothing happens to is told of and not cancelled, and a required step whose tools
 * are missing waits for them and does not fail.
 */
interface Task {
  id: string
  status?: string
  depends_on?: string[]
}

const RECORDS: Record<string, StepRecord['state']> = {
  retry_pending: 'open',
  running: 'open',
  completed: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
}
const progressOf = (tasks: readonly Task[]) => {
  const graph = new Graph({
    name: 'w',
    steps: tasks.map(({ id, depends_on: after = [] }) => ({
      id,
      run: 'x',
      after,
      onFail: 'continue' as const,
    })),
  })
  const steps = tasks.flatMap(({ status }, step): StepRecord[] => {
    const state = RECORDS[status ?? '']
    return state === undefined
      ? []
      : [{ step, state, operations: 1, operation: `op_${step + 1}`, startedAt: 0, hasResult: false }]
  })
  const run = { id: 'wf_1', state: 'running', version: 1, steps } as unknown as WorkflowRun
  return new Progress(run, graph)
}

const OWN: readonly Vector[] = [
  {
    id: 'a step waits for a retry',
    topic: 'workflow_dag',
    input: {
      tasks: [
        { id: 'a', status: 'retry_pending' },
        { id: 'b', depends_on: ['a'] },
      ],
    },
    expected: { status: { b: 'blocked' }, is_complete: false },
  },
  {
    id: 'a failure ends a step',
    topic: 'workflow_dag',
    input: { tasks: [{ id: 'a', status: 'failed' }] },
    expected: { is_complete: true },
  },
]

describe('steps of an older system', () => {
  it.each([...OWN, ...vectorsOf('workbuddy', 'workflow_dag')].map(vector => [vector.id, vector] as const))(
    'mean the same: %s',
    (_id, { input, expected }) => {
      const tasks = input.tasks as Task[]
      const progress = progressOf(tasks)
      const ready = progress.ready().map(place => tasks[place]?.id)
      for (const [id, status] of Object.entries((expected.status ?? {}) as Record<string, string>))
        expect(ready.includes(id)).toBe(status === 'available')
      if (expected.is_complete !== undefined) expect(progress.state !== 'running').toBe(expected.is_complete)
      if (expected.summary_contains !== undefined) expect(MARKS.retry_pending).toBe(expected.summary_contains)
    },
  )
})

describe('runs of an older system', () => {
  let time: FakeTime
  let queue: OpenedQueue
  let tries: string[]
  const work = defineCapability({
    name: 'work',
    params: z.object({}),
    retry: 'replay',
    maxRetries: 1,
    run: () => {
      const next = tries.shift() ?? 'ok'
      if (next === 'timeout') throw Object.assign(new Error('timed out'), { name: 'TimeoutError' })
      if (next === 'crash') throw Object.assign(new Error('400 invalid request'), { status: 400 })
      return 'ok'
    },
  })
  const one = (more: object = {}) =>
    defineWorkflow({ name: 'one', steps: [{ id: 's1', run: work, ...more }] })
  beforeEach(async () => {
    time = new FakeTime()
    tries = []
    ;({ queue } = await testQueue({ capabilities: [work as never], time, workflows: [one()] }))
  })
  afterEach(() => closeChecked(queue))
  const ran = async () => (await queue.ledger.list()).items.reduce((sum, { run }) => sum + run, 0)

  it('that are not there, or not in the right state, are answered with an error', async () => {
    const workflows = new Workflows(queue)
    await expect(workflows.advance('wf_9', 'step1', {})).rejects.toMatchObject({ code: 'missing' })
    const { id } = await queue.start(one(), {})
    await queue.runner().start()
    await time.until(queue.start(one(), {}).then(run => run.wait()))
    await time.advance(0)
    await expect(workflows.advance(id, 's1', {})).rejects.toMatchObject({ code: 'wrong_state' })
  })

  it.each([
    [['timeout', 'ok'], 2, 'succeeded'],
    [['crash'], 1, 'failed'],
    [['timeout', 'timeout', 'timeout'], 2, 'failed'],
  ])('with tries that end %s run %i times and have %s', async (given, runs, status) => {
    tries = [...given]
    const run = await queue.start(one(), {})
    await queue.runner().start()
    expect((await time.until(run.wait())).status).toBe(status)
    expect(await ran()).toBe(runs)
  })

  it('whose tools are missing wait for a runner that has them, or are skipped where they are optional', async () => {
    const gone = (optional: boolean) =>
      defineWorkflow({ name: `gone-${optional}`, steps: [{ id: 's1', run: 'gone', optional }] })
    const [needed, optional] = [await queue.start(gone(false), {}), await queue.start(gone(true), {})]
    await queue.runner().start()
    // Nobody has it for an hour: then it is parked for a runner.
    await time.advance(62 * 60_000)
    expect((await optional.show()).steps[0]?.state).toBe('skipped')
    const { status, steps } = await needed.show()
    expect([status, steps[0]?.state, steps[0]?.wait?.what]).toMatchObject([
      'blocked',
      'waiting',
      expect.stringContaining('a runner that has its capability'),
    ])
    await needed.cancel()
  })

  it.each([
    [48, true],
    [1, false],
  ])('that nothing happened to for %i hours are told of: %s', async (hours, isTold) => {
    const run = await queue.start(defineWorkflow({ name: 'asks', steps: [{ id: 'q', ask: '?' }] }), {})
    await queue.runner().start()
    time.jump(hours * 3_600_000)
    await time.advance(120_000)
    expect((await queue.ledger.events({ types: ['workflow_idle'] })).length).toBe(isTold ? 1 : 0)
    expect((await run.show()).run.state).toBe('running')
    expect(IDLE_AFTER_MS).toBe(24 * 3_600_000)
    await run.cancel()
    await run.cancel()
    expect((await run.show()).run.state).toBe('cancelled')
  })

  it('with a damaged record keep no other from being read', async () => {
    await queue.start(one(), {})
    const { id } = await queue.start(one(), {})
    const ledger = queue.ledger as unknown as { read(work: (db: { exec(sql: string): void }) => void): void }
    ledger.read(db => db.exec("UPDATE workflow_runs SET params = '{' WHERE id = 1"))
    expect((await new Workflows(queue).list()).items.map(({ run }) => run.id)).toEqual([id, 'wf_1'])
    ledger.read(db => db.exec("UPDATE workflow_runs SET params = '{}' WHERE id = 1"))
  })
})

describe('the table of states', () => {
  const operation = (more: object) => ({ retries: 0, snoozes: 0, ...more }) as unknown as Operation
  it.each([
    [operation({ state: 'scheduled', dueAt: 0 }), 'ready'],
    [operation({ state: 'scheduled', dueAt: 0, retries: 1 }), 'retry_pending'],
    [operation({ state: 'scheduled', dueAt: 0, snoozes: 1 }), 'retry_pending'],
    [operation({ state: 'scheduled', dueAt: 0, retries: 1, heldBy: 'p' }), 'waiting'],
    [operation({ state: 'running' }), 'running'],
    [operation({ state: 'parked', parkedFor: 'login' }), 'waiting'],
    [operation({ state: 'succeeded' }), 'succeeded'],
    [operation({ state: 'dead', deadAs: 'exhausted' }), 'failed'],
  ])('gives a step its state by its operation', (given, expected) => {
    expect(stepStateOf(given)).toBe(expected)
    expect(recordedStateOf('open', given)).toBe(expected)
    for (const ended of ['succeeded', 'failed', 'skipped'] as const)
      expect(recordedStateOf(ended, given)).toBe(ended)
    expect([recordedStateOf(undefined, undefined), recordedStateOf('asked', undefined)]).toEqual([
      'pending',
      'waiting',
    ])
  })

  it('stands in the guide as it stands in the code', () => {
    const guide = readFileSync(new URL('../../docs/workflows.md', import.meta.url), 'utf8')
    for (const [of, state, why] of STEP_STATE_TABLE)
      expect(guide).toContain(`| ${of} | ${state === 'as it was' ? state : `\`${state}\``} | ${why} |`)
  })
})
