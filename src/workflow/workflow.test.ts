import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import { statesOf } from '../../test/workflow/states.ts'
import { defineCapability } from '../capability/define.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { IDLE_AFTER_MS } from './workflow-times.ts'
import { Workflows } from './workflows.ts'
import { Outdated, writeProgress } from './write.ts'

const MINUTE = 60_000
const ran: string[] = []
/** What the next runs of a step return or throw. */
const script = new Map<string, (() => unknown)[]>()
const overloaded = () => {
  throw Object.assign(new Error('503 overloaded'), { status: 503 })
}
const refused = () => {
  throw Object.assign(new Error('400 invalid request'), { status: 400 })
}
const unknown = () => {
  throw new Error('the flux is out of phase')
}

const work = defineCapability({
  name: 'work',
  params: z.object({ step: z.string(), input: z.unknown().optional() }),
  retry: 'replay',
  run: ({ step, input }) => {
    ran.push(step)
    const next = script.get(step)?.shift()
    return next ? (next() as never) : { step, input: input ?? null, ok: true }
  },
})

const chain = defineWorkflow({
  name: 'chain',
  params: z.object({ repo: z.string() }),
  steps: ({ run, params }) => {
    const build = run('build', work, { params: { step: 'build', input: params.repo } })
    const test = run('test', work, { params: { step: 'test', input: build.result } })
    run('ship', work, { params: { step: 'ship', input: `image of ${test.result}` }, after: [build] })
  },
})

let time: FakeTime
let queue: OpenedQueue
let workflows: Workflows
beforeEach(async () => {
  time = new FakeTime()
  ran.length = 0
  script.clear()
  ;({ queue } = await testQueue({ capabilities: [work], time, workflows: [chain] }))
  workflows = new Workflows(queue)
})
afterEach(() => closeChecked(queue))

const started = async (
  workflow = chain as Parameters<OpenedQueue['start']>[0],
  params: unknown = { repo: 'a' },
) => {
  await queue.runner().start()
  const run = await queue.start(workflow, params)
  await time.advance(0)
  return run as Awaited<ReturnType<typeof chain.start>>
}
const fan = (more: object = {}, last: object = {}) =>
  defineWorkflow({
    name: 'fan',
    steps: [
      { id: 'a', run: work, params: { step: 'a' }, ...more },
      { id: 'b', run: work, params: { step: 'b' } },
      { id: 'c', run: work, params: { step: 'c' }, after: ['a'], ...last },
      { id: 'd', run: work, params: { step: 'd' }, after: ['c', 'b'] },
    ],
  })

describe('a run', () => {
  it('that fails at its start runs none of its first steps', async () => {
    const two = defineWorkflow({
      name: 'two',
      params: z.object({ name: z.unknown() }),
      steps: [
        { id: 'first', run: work, params: { step: 'first' } },
        { id: 'second', run: work, params: { step: '{params.name}' } },
      ],
    })
    const run = await started(two, { name: 5 })
    const view = await workflows.show(run.id)
    expect(view.run).toMatchObject({ state: 'failed', reason: expect.stringContaining('second failed') })
    expect(statesOf(view)).toEqual({ first: 'skipped', second: 'failed' })
    expect(ran).toEqual([])
  })

  it('runs its steps in order, with earlier results as parameters, and stores the results', async () => {
    const run = await started()
    const view = await time.until(run.wait())
    expect(ran).toEqual(['build', 'test', 'ship'])
    expect(view.status).toBe('succeeded')
    expect(statesOf(view)).toEqual({ build: 'succeeded', test: 'succeeded', ship: 'succeeded' })
    expect(await run.result('test')).toEqual({
      result: { step: 'test', input: { step: 'build', input: 'a', ok: true }, ok: true },
    })
    expect((await run.result('ship'))?.result).toMatchObject({
      input: 'image of {"step":"test","input":{"step":"build","input":"a","ok":true},"ok":true}',
    })
  })

  it('names run and step in the key and context of each operation', async () => {
    const run = await started()
    await time.until(run.wait())
    const { items } = await queue.ledger.list()
    expect(items.map(({ key, source, context }) => ({ key, source, context })).at(-1)).toEqual({
      key: `${run.id}/build/1`,
      source: 'workflow',
      context: { workflow_run: run.id, workflow: 'chain', step: 'build' },
    })
  })

  it('waits for a retry without failing, and continues automatically', async () => {
    script.set('test', [overloaded])
    const run = await started()
    const waiting = await workflows.show(run.id)
    expect(statesOf(waiting)).toEqual({ build: 'succeeded', test: 'retry_pending', ship: 'pending' })
    expect(waiting.status).toBe('blocked')
    expect(waiting.steps[1]?.wait).toEqual({
      what: 'a retry: 503 overloaded',
      until: time.now() + 10_000,
    })
    expect(waiting.steps[2]?.wait).toEqual({ what: 'test', steps: ['test'] })
    time.jump(10_000)
    expect((await workflows.show(run.id)).status).toBe('running')
    time.jump(-10_000)
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['build', 'test', 'test', 'ship'])
  })

  it('with the same key is the same run, or a conflict if the parameters differ', async () => {
    const first = await queue.start(chain, { repo: 'a' }, { key: 'k' })
    const again = await queue.start(chain, { repo: 'a' }, { key: 'k' })
    expect([first.created, again.created, again.id]).toEqual([true, false, first.id])
    await expect(queue.start(chain, { repo: 'b' }, { key: 'k' })).rejects.toMatchObject({
      code: 'key_conflict',
    })
    expect((await queue.ledger.counts()).total).toBe(1)
  })

  it('refuses invalid parameters before anything is written', async () => {
    await expect(queue.start(chain, { repo: 1 } as never)).rejects.toMatchObject({
      name: 'WorkflowError',
      code: 'invalid_params',
      message: expect.stringContaining('repo: '),
    })
    expect((await queue.ledger.workflowRuns()).items).toEqual([])
  })

  it('takes any parameters if its workflow declares none, but not without those that it uses', async () => {
    const free = defineWorkflow({ name: 'free', steps: [{ id: 'ok', ask: 'Ship {params.what}?' }] })
    const run = await queue.start(free, { what: 'it', more: [1] })
    expect((await run.show()).steps[0]?.question).toBe('Ship it?')
    await expect(queue.start(free, { more: [1] })).rejects.toMatchObject({
      code: 'invalid_params',
      message: 'workflow "free" uses the parameter what, which is missing',
    })
    await workflows.cancel(run.id)
  })

  it('fails at once if a step aborts it: open operations are cancelled, other steps never start', async () => {
    script.set('a', [refused])
    script.set('b', [overloaded])
    const view = await time.until((await started(fan(), {})).wait())
    expect(view.status).toBe('failed')
    expect(view.run.reason).toContain('a failed: it was refused: ')
    await time.advance(MINUTE)
    expect(statesOf(await workflows.show(view.run.id))).toEqual({
      a: 'failed',
      b: 'failed',
      c: 'skipped',
      d: 'skipped',
    })
    expect(ran.toSorted()).toEqual(['a', 'b'])
  })

  it('with skip_dependents, continues with the rest and fails at the end', async () => {
    script.set('a', [refused])
    const view = await time.until((await started(fan({ onFail: 'skip_dependents' }), {})).wait())
    expect(view.status).toBe('failed')
    expect(statesOf(view)).toEqual({ a: 'failed', b: 'succeeded', c: 'skipped', d: 'skipped' })
    expect(view.steps[3]?.reason).toBe('a failed')
  })

  it('with continue, runs everything else and still fails at the end', async () => {
    script.set('a', [refused])
    const view = await time.until((await started(fan({ onFail: 'continue' }), {})).wait())
    expect(statesOf(view)).toEqual({ a: 'failed', b: 'succeeded', c: 'succeeded', d: 'succeeded' })
    expect(view.status).toBe('failed')
  })

  it('succeeds without a failed optional step, and skips an optional step that would wait for a person', async () => {
    script.set('a', [refused])
    const view = await time.until((await started(fan({ optional: true }), {})).wait())
    expect([view.status, statesOf(view).a]).toEqual(['succeeded', 'failed'])
    script.set('a', [unknown, unknown, unknown])
    const parked = defineCapability({ name: 'needs', params: z.object({}), retry: 'replay', run: unknown })
    queue.registry.add(parked as never)
    const skipping = defineWorkflow({
      name: 'skipping',
      steps: [
        { id: 'a', run: 'needs', optional: true },
        { id: 'b', run: work, params: { step: 'b' }, after: ['a'] },
      ],
    })
    const run = await queue.start(skipping, {})
    await queue.runner().start()
    const other = await time.until(run.wait())
    expect(statesOf(other)).toEqual({ a: 'skipped', b: 'succeeded' })
    expect(other.status).toBe('succeeded')
    expect(other.steps[0]?.reason).toBe('optional, and would wait for a person to say what the failure is')
  })

  it('skips a step whose condition is false, and continues with its dependents', async () => {
    const when = defineWorkflow({
      name: 'when',
      params: z.object({ live: z.boolean() }),
      steps: ({ run, params }) => {
        const check = run('check', work, { params: { step: 'check' } })
        const ship = run('ship', work, { params: { step: 'ship' }, when: params.live, after: [check] })
        run('tell', work, { params: { step: 'tell', input: ship.result }, when: [check.result, '!=', null] })
      },
    })
    const view = await time.until((await started(when as never, { live: false })).wait())
    expect(statesOf(view)).toEqual({ check: 'succeeded', ship: 'skipped', tell: 'succeeded' })
    expect(view.status).toBe('succeeded')
    expect(view.steps[1]?.reason).toBe('condition is false: params.live')
  })

  it('fails a step whose time has run out, including retries and waits', async () => {
    script.set('a', Array(20).fill(overloaded))
    const run = await started(fan({ timeoutMs: 15_000 }), {})
    const view = await time.until(run.wait())
    expect(view.run.reason).toBe('a failed: timed out: did not end within 15s')
    expect(view.steps[0]?.operation).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
    expect(ran.filter(step => step === 'a')).toHaveLength(2)
  })

  it('is reported as idle once, 24 hours after the last change', async () => {
    const run = await started(defineWorkflow({ name: 'asks', steps: [{ id: 'ok', ask: 'Really?' }] }), {})
    const told = async () => (await queue.ledger.events({ types: ['workflow_idle'] })).length
    time.jump(IDLE_AFTER_MS - 2 * MINUTE)
    await time.advance(MINUTE)
    expect(await told()).toBe(0)
    await time.advance(2 * MINUTE)
    expect(await told()).toBe(1)
    time.jump(3 * IDLE_AFTER_MS)
    await time.advance(2 * MINUTE)
    expect(await told()).toBe(1)
    await workflows.cancel(run.id)
  })
})

describe('reviving a dead operation', () => {
  it('reopens its step, its run, and the steps skipped because of it', async () => {
    script.set('a', [refused])
    const run = await started(fan({ onFail: 'skip_dependents' }), {})
    const { steps } = await time.until(run.wait())
    await queue.retry(steps[0]?.record?.operation as string)
    await time.advance(0)
    const view = await time.until(run.wait())
    expect(view.status).toBe('succeeded')
    expect(statesOf(view)).toEqual({ a: 'succeeded', b: 'succeeded', c: 'succeeded', d: 'succeeded' })
    expect(ran.filter(step => step === 'b')).toHaveLength(1)
  })
})

describe('a question', () => {
  const release = defineWorkflow({
    name: 'release',
    steps: ({ run, ask }) => {
      const build = run('build', work, { params: { step: 'build' } })
      const approve = ask('approve', `Release ${build.result.step}?`, {
        answer: z.object({ ok: z.boolean(), by: z.string().optional() }),
        timeoutMs: 60 * MINUTE,
      })
      run('ship', work, { params: { step: 'ship' }, when: approve.result.ok })
    },
  })

  it('waits for an answer, and the run continues with it', async () => {
    const run = await started(release as never, {})
    const asked = await workflows.show(run.id)
    expect(asked.status).toBe('blocked')
    expect(asked.steps[1]).toMatchObject({
      state: 'waiting',
      question: 'Release build?',
      wait: { what: 'an answer', deadline: time.now() + 60 * MINUTE },
    })
    await workflows.advance(run.id, 'approve', { ok: true }, { by: 'ann', reason: 'looks good' })
    const view = await time.until(run.wait())
    expect(view.status).toBe('succeeded')
    expect(ran).toEqual(['build', 'ship'])
    expect(await workflows.actions(run.id)).toMatchObject([
      { by: 'ann', action: 'advance', step: 1, note: 'looks good' },
    ])
    expect(view.steps[1]?.record).toMatchObject({ by: 'ann' })
  })

  it('refuses an invalid answer, and an answer to a step that has not started', async () => {
    const run = await started(release as never, {})
    await expect(workflows.advance(run.id, 'approve', { okay: true })).rejects.toMatchObject({
      code: 'invalid_result',
      message: 'the result of step "approve" is invalid: okay is unknown; known: ok, by; ok is missing',
    })
    await expect(workflows.advance(run.id, 'ship', {})).rejects.toMatchObject({
      code: 'wrong_state',
      message: `step "ship" of ${run.id} has not started: it waits for approve`,
    })
    await expect(workflows.advance(run.id, 'aprove', {})).rejects.toMatchObject({ code: 'unknown_step' })
    await workflows.cancel(run.id)
  })

  it('fails without an answer in time', async () => {
    const run = await started(release as never, {})
    const view = await time.until(run.wait())
    expect(view.run.reason).toContain('approve failed: timed out')
  })

  it('without an answer in time lets dependents run that only another runner has', async () => {
    const asks = defineWorkflow({
      name: 'asks',
      steps: [
        { id: 'ok', ask: 'Really?', timeoutMs: MINUTE, onFail: 'continue' },
        { id: 'next', run: 'elsewhere', after: ['ok'] },
      ],
    })
    const run = await started(asks, {})
    await time.advance(3 * MINUTE)
    const view = await workflows.show(run.id)
    expect(view.steps[1]).toMatchObject({
      state: 'ready',
      operation: { capability: 'elsewhere' },
      wait: { what: 'a runner that has elsewhere' },
    })
  })
})

describe('acting on a run', () => {
  it('cancels it and its open operations; a second time is harmless, and an ended run is refused', async () => {
    script.set('build', [overloaded])
    const run = await started()
    const view = await workflows.cancel(run.id, { by: 'ann', reason: 'wrong repo' })
    expect(view.status).toBe('cancelled')
    expect(view.run.reason).toBe('cancelled by ann: wrong repo')
    await time.advance(5 * MINUTE)
    expect(statesOf(await workflows.show(run.id))).toEqual({
      build: 'failed',
      test: 'skipped',
      ship: 'skipped',
    })
    expect((await workflows.cancel(run.id)).status).toBe('cancelled')
    expect(await workflows.actions(run.id)).toHaveLength(1)
    const done = await queue.start(chain, { repo: 'b' })
    await time.until(done.wait())
    await expect(workflows.cancel(done.id)).rejects.toMatchObject({
      code: 'ended',
      message: `${done.id} has succeeded: there is nothing to cancel`,
    })
    await expect(workflows.cancel('wf_99')).rejects.toMatchObject({ code: 'missing' })
  })

  it('resumes a failed run with one call, without repeating successful steps', async () => {
    script.set('test', [refused])
    const run = await started()
    expect((await time.until(run.wait())).status).toBe('failed')
    const view = await workflows.retry(run.id, { by: 'ann' })
    expect(view.status).toBe('running')
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['build', 'test', 'test', 'ship'])
  })

  it('resumes a cancelled run', async () => {
    script.set('test', [overloaded])
    const run = await started()
    await workflows.cancel(run.id)
    await time.advance(MINUTE)
    await workflows.retry(run.id)
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['build', 'test', 'test', 'ship'])
  })

  it('runs a waiting step now', async () => {
    script.set('test', [overloaded])
    const run = await started()
    const before = time.now()
    await workflows.retry(run.id, { step: 'test' })
    await time.until(run.wait())
    expect(time.now()).toBeLessThan(before + 1_000)
  })

  it('runs a step and all its dependents again, and nothing else', async () => {
    const run = await started()
    await time.until(run.wait())
    await workflows.retry(run.id, { step: 'test', from: true, by: 'ann' })
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['build', 'test', 'ship', 'test', 'ship'])
    const { items } = await queue.ledger.list()
    expect(new Set(items.map(({ key }) => key)).size).toBe(5)
    await expect(workflows.retry(run.id)).rejects.toMatchObject({ code: 'ended' })
    await expect(workflows.retry(run.id, { step: 'test' })).rejects.toMatchObject({ code: 'wrong_state' })
  })

  it('skips a failed step and continues', async () => {
    script.set('test', [refused])
    const run = await started()
    await time.until(run.wait())
    await workflows.skip(run.id, 'test', { by: 'ann', reason: 'flaky' })
    const view = await time.until(run.wait())
    expect(view.status).toBe('succeeded')
    expect(statesOf(view)).toEqual({ build: 'succeeded', test: 'skipped', ship: 'succeeded' })
    expect(view.steps[1]).toMatchObject({ reason: 'flaky', record: { by: 'ann' } })
    await expect(workflows.skip(run.id, 'test')).rejects.toMatchObject({ code: 'wrong_state' })
    await expect(workflows.skip(run.id, 'build')).rejects.toMatchObject({ code: 'wrong_state' })
  })

  it('skips a step that a failure prevents, and runs what depends only on that', async () => {
    script.set('a', [refused])
    const run = await started(fan({ onFail: 'skip_dependents' }) as never)
    expect(statesOf(await time.until(run.wait()))).toMatchObject({ c: 'skipped', d: 'skipped' })
    await workflows.skip(run.id, 'c', { by: 'ann' })
    const view = await time.until(run.wait())
    expect(statesOf(view)).toMatchObject({ a: 'failed', c: 'skipped', d: 'succeeded' })
    expect(view.status).toBe('failed')
  })

  it('supplies the result of a waiting step, whose operation then no longer runs', async () => {
    script.set('test', [overloaded])
    const run = await started()
    await workflows.advance(run.id, 'test', { step: 'by hand' }, { by: 'ann' })
    const view = await time.until(run.wait())
    expect(view.status).toBe('succeeded')
    expect(ran).toEqual(['build', 'test', 'ship'])
    expect((await run.result('test'))?.result).toEqual({ step: 'by hand' })
    expect(view.steps[1]?.operation).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
  })
})

describe('results', () => {
  it('in a file are stored whole with the run and passed on; of a larger one, only the beginning', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-results-'))
    const own = await testQueue({
      capabilities: [work],
      time,
      resultFolder: join(folder, 'results'),
      workflows: [chain],
    })
    script.set('build', [() => 'x'.repeat(100_000)])
    script.set('test', [() => 'y'.repeat(2 ** 20 + 1)])
    await own.queue.runner().start()
    const run = await own.queue.start(chain, { repo: 'a' })
    await time.until(run.wait())
    expect(await run.result('build')).toEqual({ result: 'x'.repeat(100_000) })
    expect(await run.result('test')).toMatchObject({
      resultCut: true,
      result: { $cut: { bytes: 2 ** 20 + 3 } },
    })
    await own.queue.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('stay with the run after the operation is deleted', async () => {
    const run = await started()
    await time.until(run.wait())
    time.jump(8 * IDLE_AFTER_MS)
    expect((await queue.prune()).succeeded).toBe(3)
    expect((await run.result('build'))?.result).toMatchObject({ step: 'build' })
    expect(statesOf(await workflows.show(run.id))).toEqual({
      build: 'succeeded',
      test: 'succeeded',
      ship: 'succeeded',
    })
  })
})

describe('two callers acting on the same run at the same time', () => {
  const asks = defineWorkflow({
    name: 'asks',
    steps: [
      { id: 'q', ask: 'Really?' },
      { id: 'r', ask: 'And?' },
    ],
  })

  it('both get a reply, and the first answer counts', async () => {
    const run = await queue.start(asks, {})
    const outcomes = await Promise.allSettled([
      workflows.advance(run.id, 'q', 1, { by: 'ann' }),
      workflows.advance(run.id, 'q', 2, { by: 'bob' }),
      workflows.skip(run.id, 'r', { by: 'cy' }),
    ])
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      {
        reason: {
          code: 'wrong_state',
          message: `step "q" of ${run.id} has already succeeded; its result cannot be replaced`,
        },
      },
    ])
    const actions = await workflows.actions(run.id)
    expect(actions).toHaveLength(2)
    expect((await run.result('q'))?.result).toBe(actions.find(({ step }) => step === 0)?.by === 'ann' ? 1 : 2)
    expect((await run.show()).status).toBe('succeeded')
  })

  it('write nothing that is based on an outdated run', async () => {
    const run = await queue.start(asks, {})
    const read = (await queue.ledger.workflowRun(run.id)) as WorkflowRun
    await workflows.skip(run.id, 'r')
    const progress = new Progress(read, new Graph(asks.plan))
    progress.succeed(0, { result: 1 })
    await expect(queue.ledger.transaction(writes => writeProgress(writes, progress))).rejects.toBeInstanceOf(
      Outdated,
    )
    expect(await run.result('q')).toBeUndefined()
    await workflows.cancel(run.id)
  })

  it('cannot answer or skip in a cancelled run before it is retried', async () => {
    const run = await queue.start(asks, {})
    await workflows.cancel(run.id)
    for (const refused of [workflows.advance(run.id, 'q', 1), workflows.skip(run.id, 'q')])
      await expect(refused).rejects.toMatchObject({
        code: 'ended',
        message: `${run.id} has been cancelled: retry it first`,
      })
    await workflows.retry(run.id)
    expect((await workflows.advance(run.id, 'q', 1)).steps[0]?.state).toBe('succeeded')
    await workflows.cancel(run.id)
  })
})

describe('two services continuing the same run', () => {
  it('settle each end once', async () => {
    const other = await testQueue({ capabilities: [work], time, ledger: queue.ledger, workflows: [chain] })
    await other.queue.runner().start()
    const runs = []
    for (let n = 0; n < 20; n++) runs.push(await started())
    await time.until(Promise.all(runs.map(run => run.wait())))
    expect(ran).toHaveLength(60)
    await other.queue.ledger.check()
  })
})
