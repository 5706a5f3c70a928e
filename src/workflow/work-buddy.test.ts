import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { closeChecked } from '../../test/work.ts'
import { defineCapability } from '../capability/define.ts'
import type { Operation } from '../ledger/operation.ts'
import type { StepRecord, WorkflowRun } from '../ledger/workflow-run.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { recordedStateOf, stepStateOf } from './step-state.ts'
import { ALL_WORKFLOWS } from './workflow-service.ts'
import { IDLE_AFTER_MS } from './workflow-times.ts'
import { Workflows } from './workflows.ts'

// An older system, the predecessor of this one, had steps that wait for a retry, in the memory of one process. Their
// behaviour holds here too, except for what OTHERWISE lists.

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

const row = (topic: string, id: string, input: object, expected: object): Vector => ({
  id,
  topic,
  input: input as Vector['input'],
  expected: expected as Vector['expected'],
})
/** One vector for each behaviour, for machines without the full set. */
const OWN: readonly Vector[] = [
  row(
    'workflow_dag',
    'a step waits for a retry',
    {
      tasks: [
        { id: 'a', status: 'retry_pending' },
        { id: 'b', depends_on: ['a'] },
      ],
    },
    { status: { b: 'blocked' }, is_complete: false },
  ),
  row(
    'workflow_dag',
    'a failure ends a step',
    { tasks: [{ id: 'a', status: 'failed' }] },
    { is_complete: true },
  ),
  row(
    'workflow_resume',
    'a run that is not there',
    { action: 'resume', run_id: 'wf_9', step_id: 's1' },
    { error_contains: '' },
  ),
  row(
    'workflow_resume',
    'retries that are used up',
    { action: 'fail', step_id: 's1', tasks: [{ id: 's1' }] },
    { status: { s1: 'failed' } },
  ),
  row('step_recheck', 'one tool of two', { requires: ['x', 'y'], available: ['y'] }, { missing: ['x'] }),
  row(
    'step_recheck',
    'no tool, and optional',
    { requires: ['x'], available: [], optional: true },
    { step_status: 'skipped' },
  ),
  row('auto_run_retry', 'a timeout', { attempts: ['timeout', 'ok'] }, { runs: 2, success: true }),
  row('auto_run_retry', 'a refusal', { attempts: ['refused'] }, { runs: 1, success: false }),
  row('workflow_lifecycle', 'a cancel', { run: 'active', times: 2 }, { cancelled: true }),
  row('workflow_lifecycle', 'a fresh run', { last_activity_age_h: 1 }, { cancelled: false }),
  row(
    'workflow_lifecycle',
    'an idle run',
    { last_activity_age_h: 48, dry_run: true },
    { listed: true, cancelled: false },
  ),
  row('workflow_lifecycle', 'a damaged record', { on_disk: 'corrupt' }, { raises: false }),
]

/** What is different here, and how. */
const OTHERWISE: Record<string, string> = {
  'wb.workflow_resume.resume_wrong_status': 'a result can be supplied while the step runs: it is cancelled',
  'wb.step_recheck.missing_tool_required_step': 'a step that is needed waits for its tool, and does not fail',
  'wb.auto_run_retry.crash_no_retry': 'work that may be repeated is, also after a crash',
  'wb.workflow_lifecycle.idle_48h_cancelled': 'a run that nothing happens to is told of, not cancelled',
  'wb.workflow_lifecycle.recover_expires_idle': 'the same after a restart',
}

const TOPICS = [
  'workflow_dag',
  'workflow_resume',
  'step_recheck',
  'auto_run_retry',
  'workflow_lifecycle',
] as const
const ALL = [...OWN, ...vectorsOf('workbuddy', ...TOPICS)]
const meant = (topic: (typeof TOPICS)[number]) =>
  ALL.filter(vector => vector.topic === topic).map(vector => [vector.id, vector] as const)

describe('an older system', () => {
  it('has every id that OTHERWISE lists', () => {
    if (ALL.length === OWN.length) return
    expect(ALL.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(OTHERWISE)))
  })

  it.each(meant('workflow_dag'))('has steps with the same behaviour: %s', (_id, { input, expected }) => {
    const tasks = input.tasks as Task[]
    const progress = progressOf(tasks)
    const ready = progress.settleReady().map(place => tasks[place]?.id)
    for (const [id, status] of Object.entries((expected.status ?? {}) as Record<string, string>))
      expect(ready.includes(id)).toBe(status === 'available')
    if (expected.is_complete !== undefined) expect(progress.state !== 'running').toBe(expected.is_complete)
  })
})

describe('runs of an older system', () => {
  let time: FakeTime
  let queue: OpenedQueue
  let workflows: Workflows
  let tries: string[]
  const tool = (name: string) =>
    defineCapability({
      name,
      params: z.object({}),
      retry: 'replay',
      run: async () => {
        const next = tries.shift() ?? 'ok'
        if (next === 'timeout') throw Object.assign(new Error('timed out'), { name: 'TimeoutError' })
        if (next === 'refused') throw Object.assign(new Error('400 invalid request'), { status: 400 })
        if (next.startsWith('exit 1')) return await Promise.reject({ exitCode: 1, stdout: '', stderr: '' })
        return 'ok'
      },
    })
  const open = async (...capabilities: string[]) => {
    time = new FakeTime()
    tries = []
    ;({ queue } = await testQueue({ capabilities: capabilities.map(tool), time, workflows: [ALL_WORKFLOWS] }))
    workflows = new Workflows(queue)
  }
  const steps = (runs: readonly string[], optional = false) =>
    defineWorkflow({ name: 'w', steps: runs.map((run, n) => ({ id: `s${n + 1}`, run, optional })) })
  const asks = defineWorkflow({ name: 'asks', steps: [{ id: 'q', ask: '?' }] })
  afterEach(() => closeChecked(queue))

  it.each(meant('workflow_resume'))('resume the same way: %s', async (id, { input, expected }) => {
    await open('work')
    if (id in OTHERWISE) {
      const run = await queue.start(steps(['work']), {})
      expect((await workflows.advance(run.id, 's1', {})).status).toBe('succeeded')
      await queue.runner().start()
      await time.advance(0)
      expect((await queue.ledger.list()).items).toMatchObject([{ state: 'dead', deadAs: 'cancelled' }])
    } else if (input.action === 'resume') {
      const refused = workflows.advance(String(input.run_id), String(input.step_id), {})
      await expect(refused).rejects.toMatchObject({ code: 'missing' })
    } else {
      tries = Array.from({ length: 50 }, () => 'timeout')
      const run = await queue.start(steps(['work']), {})
      await queue.runner().start()
      const view = await time.until(run.wait())
      for (const [step, state] of Object.entries(expected.status as object))
        expect(view.steps.find(each => each.step.id === step)?.state).toBe(state)
    }
  })

  it.each(meant('step_recheck'))(
    'wait only for tools that are missing: %s',
    async (id, { input, expected }) => {
      const {
        requires,
        available,
        optional = false,
      } = input as { requires: string[]; available: string[]; optional?: boolean }
      await open(...available)
      const run = await queue.start(steps(requires, optional), {})
      await queue.runner().start()
      await time.advance(1_000)
      const missing = () =>
        run
          .show()
          .then(view => view.steps.filter(({ state }) => state !== 'succeeded').map(({ step }) => step.run))
      if (expected.missing !== undefined) expect((await missing()).toSorted()).toEqual(expected.missing)
      // No runner has it for an hour: then it is parked for a runner.
      await time.advance(62 * 60_000)
      if (expected.step_status !== undefined)
        expect((await run.show()).steps[0]?.state).toBe(id in OTHERWISE ? 'waiting' : expected.step_status)
      if ((await run.show()).run.state === 'running') {
        const other = await testQueue({
          capabilities: requires.map(tool),
          time,
          ledger: queue.ledger,
          workflows: [ALL_WORKFLOWS],
        })
        await other.queue.runner().start()
        expect((await time.until(run.wait())).status).toBe('succeeded')
      }
    },
  )

  it.each(meant('auto_run_retry'))('are tried as often: %s', async (id, { input, expected }) => {
    await open('work')
    tries = [...(input.attempts as string[])]
    const run = await queue.start(steps(['work']), {})
    await queue.runner().start()
    await time.advance(3_600_000)
    const { success, runs } = id in OTHERWISE ? { success: true, runs: 2 } : expected
    expect((await run.show()).status).toBe(success ? 'succeeded' : 'failed')
    expect((await queue.ledger.list()).items.map(operation => operation.run)).toEqual([runs])
  })

  it.each(meant('workflow_lifecycle'))('live as long: %s', async (id, { input, expected }) => {
    await open('work')
    const run = await queue.start(asks, {})
    if (input.run !== 'disk_only') await queue.runner().start()
    const hours = (input.last_activity_age_h ?? input.age_h) as number | undefined
    if (hours !== undefined) {
      time.jump(hours * 3_600_000)
      await time.advance(120_000)
      const told = (await queue.ledger.events({ types: ['workflow_idle'] })).length
      expect(told).toBe(id in OTHERWISE || expected.listed === true ? 1 : 0)
      expect((await run.show()).run.state).toBe('running')
      expect(IDLE_AFTER_MS).toBe(24 * 3_600_000)
    } else if (input.on_disk !== undefined) {
      const { id: second } = await queue.start(asks, {})
      const ledger = queue.ledger as unknown as {
        read(work: (db: { exec(sql: string): void }) => void): void
      }
      ledger.read(db => db.exec("UPDATE workflow_runs SET params = '{' WHERE id = 1"))
      expect((await workflows.list()).items.map(view => view.run.id)).toEqual([second, run.id])
      ledger.read(db => db.exec("UPDATE workflow_runs SET params = '{}' WHERE id = 1"))
    } else
      for (let time = 0; time < ((input.times as number) ?? 1); time++) {
        expect((await run.cancel()).run.state).toBe('cancelled')
        expect((await queue.ledger.workflowRun(run.id))?.state).toBe('cancelled')
      }
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
  ])('derives the state of a step from its operation', (given, expected) => {
    expect(stepStateOf(given)).toBe(expected)
    expect(recordedStateOf('open', given)).toBe(expected)
    for (const ended of ['succeeded', 'failed', 'skipped'] as const)
      expect(recordedStateOf(ended, given)).toBe(ended)
    expect([recordedStateOf(undefined, undefined), recordedStateOf('asked', undefined)]).toEqual([
      'pending',
      'waiting',
    ])
  })
})
