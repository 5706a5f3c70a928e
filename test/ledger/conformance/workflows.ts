import { describe, expect, it } from 'vitest'
import type { NewWorkflowRun, WorkflowChange } from '../../../src/ledger/workflow-run.ts'
import { CANCEL, failureOf } from './samples.ts'
import { fail, insert, ledger, other, start, succeed, time } from './setting.ts'

const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
const PLAN = { steps: [{ id: 'build' }, { id: 'test' }, { id: 'ship' }] }

const add = (more: Partial<NewWorkflowRun> = {}, on = ledger) =>
  on.transaction(writes =>
    writes.addWorkflowRun({
      workflow: 'release',
      plan: PLAN,
      steps: 3,
      params: { repo: 'a' },
      by: 'ann',
      ...more,
    }),
  )
const change = (id: string, version: number, what: WorkflowChange, on = ledger) =>
  on.transaction(writes => writes.changeWorkflowRun(id, version, what))
const step = (n: number) => insert({ source: 'workflow', context: { n } })
const open = async (id: string, version: number, place: number) => {
  const operation = await step(place)
  await change(id, version, { steps: [{ step: place, state: 'open', operation, operations: 1 }] })
  return operation
}
const recordOf = async (id: string, place: number) =>
  (await other.workflowRun(id))?.steps.find(record => record.step === place)

/** Workflow runs, their steps and results, and actions on them. */
export function workflowsConformance(): void {
  describe('a workflow run', () => {
    it('is returned as written; equal plans are shared', async () => {
      const { id, created } = await add({ session: 's1' })
      expect(created).toBe(true)
      expect(id).toMatch(/^wf_\d+$/)
      const run = await other.workflowRun(id)
      expect(run).toEqual({
        id,
        workflow: 'release',
        plan: expect.stringMatching(/^plan_\d+$/),
        params: { repo: 'a' },
        state: 'running',
        version: 1,
        session: 's1',
        by: 'ann',
        createdAt: time.now(),
        updatedAt: time.now(),
        steps: [],
      })
      expect(await other.workflowPlan(run?.plan as string)).toEqual(PLAN)
      const [same, another] = [await add(), await add({ plan: { steps: [] } })]
      expect((await ledger.workflowRun(same.id))?.plan).toBe(run?.plan)
      expect((await ledger.workflowRun(another.id))?.plan).not.toBe(run?.plan)
      expect(await ledger.check()).toEqual([])
    })

    it('that does not exist is undefined, whatever the id looks like, and so is its plan', async () => {
      for (const id of ['wf_1', 'wf_0', 'op_1', '', 'wf_9007199254740993']) {
        expect(await ledger.workflowRun(id)).toBeUndefined()
        expect(await ledger.workflowActions(id)).toEqual([])
        expect(await ledger.stepResult(id, 0)).toBeUndefined()
        expect(await change(id, 1, { state: 'failed' })).toBe(false)
      }
      expect(await ledger.workflowPlan('plan_1')).toBeUndefined()
    })

    it('with a key is the same run for the same parameters, and a conflict for others', async () => {
      const { id } = await add({ key: 'k', params: { a: 1, b: 2 } })
      expect(await add({ key: 'k', params: { b: 2, a: 1 } }, other)).toEqual({ id, created: false })
      await expect(add({ key: 'k', params: { a: 2 } })).rejects.toMatchObject({
        code: 'key_conflict',
        message: expect.stringContaining(id),
      })
      expect((await add({ key: 'k', workflow: 'another' })).created).toBe(true)
    })

    it('with a key wins once if two processes start it at the same time', async () => {
      const added = await Promise.all([add({ key: 'k' }), add({ key: 'k' }, other), add({ key: 'k' })])
      expect(new Set(added.map(({ id }) => id)).size).toBe(1)
      expect(added.filter(({ created }) => created)).toHaveLength(1)
    })

    it('is refused if it is invalid', async () => {
      for (const wrong of [{ workflow: '' }, { steps: 0 }, { steps: 1_001 }, { key: '' }, { by: '' }])
        await expect(add(wrong)).rejects.toMatchObject({ code: 'invalid' })
    })

    it('changes once per version: if two read the same version, one gets false and writes nothing', async () => {
      const { id } = await add()
      const cancel: WorkflowChange = {
        state: 'cancelled',
        reason: 'enough',
        action: { by: 'bob', action: 'cancel' },
      }
      const outcomes = await Promise.all([change(id, 1, cancel), change(id, 1, cancel, other)])
      expect(outcomes.filter(did => did)).toHaveLength(1)
      expect(await ledger.workflowRun(id)).toMatchObject({ state: 'cancelled', version: 2, reason: 'enough' })
      expect(await ledger.workflowActions(id)).toHaveLength(1)
      expect(await change(id, 1, { state: 'running' })).toBe(false)
    })

    it('ends and can be reopened', async () => {
      const { id } = await add()
      await time.advance(1_000)
      await change(id, 1, { state: 'failed', reason: `token ${SECRET}` })
      const failed = await other.workflowRun(id)
      expect(failed).toMatchObject({ state: 'failed', endedAt: time.now(), updatedAt: time.now() })
      expect(failed?.reason).not.toContain(SECRET)
      await change(id, 2, { state: 'running' })
      const opened = await other.workflowRun(id)
      expect(opened).toMatchObject({ state: 'running', version: 3 })
      expect(opened).not.toHaveProperty('endedAt')
      expect(opened).not.toHaveProperty('reason')
    })

    it('records actions on it, in order', async () => {
      const { id } = await add()
      await change(id, 1, { action: { by: 'ann', action: 'skip', step: 1, note: `because ${SECRET}` } })
      await time.advance(5_000)
      await change(id, 2, { action: { by: 'session s1', action: 'retry' } })
      const actions = await other.workflowActions(id)
      expect(actions).toMatchObject([
        {
          by: 'ann',
          action: 'skip',
          step: 1,
          note: expect.stringContaining('because'),
          at: time.now() - 5_000,
        },
        { by: 'session s1', action: 'retry', at: time.now() },
      ])
      expect(Object.keys(actions[1] ?? {})).toEqual(['at', 'by', 'action'])
      expect(JSON.stringify(actions)).not.toContain(SECRET)
    })

    it('is listed newest first, by state, workflow, key and id, one page at a time', async () => {
      const a = await add()
      const b = await add({ workflow: 'audit', key: 'k' })
      const c = await add()
      await change(a.id, 1, { state: 'failed' })
      const ids = async (...filter: Parameters<typeof ledger.workflowRuns>) =>
        (await other.workflowRuns(...filter)).items.map(({ id }) => id)
      expect(await ids()).toEqual([c.id, b.id, a.id])
      expect(await ids({ state: 'running' })).toEqual([c.id, b.id])
      expect(await ids({ state: ['failed', 'cancelled'] })).toEqual([a.id])
      expect(await ids({ workflow: 'audit' })).toEqual([b.id])
      expect(await ids({ key: 'k' })).toEqual([b.id])
      expect(await ids({ ids: [a.id, b.id, 'wf_999'] })).toEqual([b.id, a.id])
      const page = await other.workflowRuns({}, { limit: 2 })
      expect(page.next).toBe(b.id)
      expect(await ids({}, { cursor: b.id })).toEqual([a.id])
      await expect(other.workflowRuns({}, { limit: 0 })).rejects.toMatchObject({ code: 'invalid' })
    })

    it('is found if nothing happens to it, and marked once until something does', async () => {
      const { id } = await add()
      const idle = async () =>
        (await other.workflowRuns({ idleBefore: time.now() - 60_000 })).items.map(run => run.id)
      const tell = (version: number, on = ledger) => on.transaction(w => w.markIdleTold(id, version))
      await time.advance(60_000)
      expect(await idle()).toEqual([])
      await time.advance(1)
      expect(await idle()).toEqual([id])
      expect([await tell(1), await tell(1, other)]).toEqual([true, false])
      expect((await ledger.workflowRun(id))?.idleToldAt).toBe(time.now())
      expect(await idle()).toEqual([])
      await change(id, 1, { steps: [{ step: 0, state: 'asked' }] })
      expect(await tell(1)).toBe(false)
      await time.advance(60_001)
      expect(await idle()).toEqual([id])
      await change(id, 2, { steps: [{ step: 0, state: 'none' }], state: 'cancelled' })
      expect(await idle()).toEqual([])
      expect(await ledger.check()).toEqual([])
    })
  })

  describe('a step of a workflow run', () => {
    it('opens with its operation in one transaction, and ends with its result', async () => {
      const { id } = await add()
      await time.advance(1_000)
      const operation = await open(id, 1, 0)
      expect(await recordOf(id, 0)).toEqual({
        step: 0,
        state: 'open',
        operation,
        operations: 1,
        startedAt: time.now(),
        hasResult: false,
      })
      expect(await other.stepsOfOperations(['op_999', operation, 'x'])).toEqual([
        { operation, run: id, version: 2, step: 0, standing: { state: 'scheduled' } },
      ])
      await succeed(operation, { image: 'v1' })
      expect(await other.stepsOfOperations([operation])).toMatchObject([
        { standing: { state: 'succeeded', result: { image: 'v1' } } },
      ])
      await time.advance(2_000)
      await change(id, 2, { steps: [{ step: 0, state: 'succeeded', result: { image: 'v1' } }] })
      expect(await recordOf(id, 0)).toEqual({
        step: 0,
        state: 'succeeded',
        operation,
        operations: 1,
        startedAt: time.now() - 2_000,
        endedAt: time.now(),
        hasResult: true,
      })
      expect(await other.stepResult(id, 0)).toEqual({ result: { image: 'v1' } })
      expect(await other.stepResult(id, 1)).toBeUndefined()
      expect(await ledger.check()).toEqual([])
    })

    it('keeps a result as cut if it is a placeholder for a larger one, and null as a result', async () => {
      const { id } = await add()
      await change(id, 1, {
        steps: [
          { step: 0, state: 'succeeded', result: { $cut: {} }, resultCut: true, by: 'ann' },
          { step: 1, state: 'succeeded', result: null },
          { step: 2, state: 'succeeded' },
        ],
      })
      expect(await other.stepResult(id, 0)).toEqual({ result: { $cut: {} }, resultCut: true })
      expect(await other.stepResult(id, 1)).toEqual({ result: null })
      expect(await other.stepResult(id, 2)).toBeUndefined()
      expect(await recordOf(id, 0)).toMatchObject({ by: 'ann', operations: 0 })
      expect(await ledger.check()).toEqual([])
    })

    it('fails or is skipped with a reason, and reopens with the same operation or another', async () => {
      const { id } = await add()
      const operation = await open(id, 1, 0)
      const begun = time.now()
      await time.advance(1_000)
      await fail(operation, failureOf(), CANCEL)
      expect((await other.stepsOfOperations([operation]))[0]?.standing).toEqual({
        state: 'dead',
        deadAs: 'refused',
        reason: 'because',
        message: 'the model is overloaded',
      })
      await change(id, 2, {
        steps: [
          { step: 0, state: 'failed', reason: `refused ${SECRET}` },
          { step: 1, state: 'skipped', reason: 'build failed', cause: 0 },
        ],
      })
      const failed = await recordOf(id, 0)
      expect(failed).toMatchObject({ state: 'failed', operation, endedAt: time.now() })
      expect(JSON.stringify(failed)).not.toContain(SECRET)
      expect(await recordOf(id, 1)).toMatchObject({ state: 'skipped', cause: 0, reason: 'build failed' })
      await ledger.transaction(writes => writes.revive(operation))
      await change(id, 3, {
        steps: [
          { step: 0, state: 'open', operation, operations: 1 },
          { step: 1, state: 'none' },
        ],
      })
      expect(await recordOf(id, 0)).toEqual({
        step: 0,
        state: 'open',
        operation,
        operations: 1,
        startedAt: begun,
        hasResult: false,
      })
      expect(await recordOf(id, 1)).toBeUndefined()
      const second = await step(0)
      await change(id, 4, { steps: [{ step: 0, state: 'open', operation: second, operations: 2 }] })
      expect(await recordOf(id, 0)).toMatchObject({
        operation: second,
        operations: 2,
        startedAt: time.now(),
      })
      expect(await other.stepsOfOperations([operation, second])).toEqual([
        { operation: second, run: id, version: 5, step: 0, standing: { state: 'scheduled' } },
      ])
      expect(await ledger.check()).toEqual([])
    })

    it('loses its result when it reopens', async () => {
      const { id } = await add()
      await change(id, 1, { steps: [{ step: 0, state: 'succeeded', result: 1 }] })
      await open(id, 2, 0)
      expect(await other.stepResult(id, 0)).toBeUndefined()
      expect(await ledger.check()).toEqual([])
    })

    it('has a deadline until it ends; the earliest comes first', async () => {
      const { id } = await add()
      const operation = await step(0)
      const now = time.now()
      await change(id, 1, {
        steps: [
          { step: 0, state: 'open', operation, operations: 1, deadline: now + 2_000 },
          { step: 1, state: 'asked', deadline: now + 1_000 },
        ],
      })
      expect(await other.stepDeadlines(10)).toEqual([
        { run: id, step: 1, deadline: now + 1_000 },
        { run: id, step: 0, deadline: now + 2_000 },
      ])
      expect(await other.stepDeadlines(1)).toHaveLength(1)
      await change(id, 2, { steps: [{ step: 1, state: 'failed', reason: 'no answer' }] })
      expect(await other.stepDeadlines(10)).toMatchObject([{ step: 0 }])
    })

    it('is refused if its plan cannot have it, and nothing of that change is stored', async () => {
      const { id } = await add()
      for (const place of [-1, 0.5, 1_000])
        await expect(
          change(id, 1, { state: 'failed', steps: [{ step: place, state: 'asked' }] }),
        ).rejects.toMatchObject({ code: 'invalid' })
      expect(await ledger.workflowRun(id)).toMatchObject({ state: 'running', version: 1 })
    })

    it('keeps its operation from deletion until its end is recorded', async () => {
      const { id } = await add()
      const operation = await open(id, 1, 0)
      await succeed(operation, 'done')
      await time.advance(8 * 86_400_000)
      expect(await ledger.transaction(writes => writes.discard(operation))).toBe(false)
      expect(await ledger.prune()).toMatchObject({ succeeded: 0 })
      expect(await other.get(operation)).toMatchObject({ result: 'done' })
      await change(id, 2, { steps: [{ step: 0, state: 'succeeded', result: 'done' }] })
      expect(await ledger.prune()).toMatchObject({ succeeded: 1 })
      expect(await other.get(operation)).toBeUndefined()
      expect(await other.stepResult(id, 0)).toEqual({ result: 'done' })
      expect(await ledger.check()).toEqual([])
    })

    it('is deleted with its run after the run ended long ago; a run that has not ended stays, and so does its plan', async () => {
      const [a, b, c] = [await add(), await add(), await add({ plan: 2 })]
      const operation = await open(a.id, 1, 0)
      await change(a.id, 2, { state: 'cancelled', action: { by: 'ann', action: 'cancel' } })
      await change(c.id, 1, { state: 'failed', steps: [{ step: 0, state: 'failed', reason: 'no' }] })
      const plan = (await ledger.workflowRun(c.id))?.plan as string
      expect(await ledger.prune({ workflowsAfterMs: 1_000 })).toMatchObject({ workflows: 0 })
      await time.advance(1_001)
      expect(await ledger.prune({ workflowsAfterMs: 1_000, step: 1 })).toMatchObject({ workflows: 1 })
      expect(await other.workflowRun(c.id)).toBeUndefined()
      expect(await other.workflowPlan(plan)).toBeUndefined()
      // The end of the cancelled run's open step is not recorded yet.
      await ledger.transaction(writes => writes.cancel(operation, 'enough'))
      await change(a.id, 3, { steps: [{ step: 0, state: 'failed', reason: 'cancelled' }] })
      await time.advance(1_001)
      expect(await ledger.prune({ workflowsAfterMs: 1_000 })).toMatchObject({ workflows: 1 })
      expect(await other.workflowActions(a.id)).toEqual([])
      expect((await other.workflowRuns()).items.map(({ id }) => id)).toEqual([b.id])
      expect([a.id, b.id, c.id]).not.toContain((await add()).id)
      expect(await ledger.check()).toEqual([])
    })
  })

  describe('remembered steps of an operation', () => {
    const remember = (id: string, run: number, name: string, value?: unknown, on = ledger) =>
      on.transaction(writes => writes.rememberStep({ id, run }, name, value))

    it('are stored once, in the order they were done, for the next run', async () => {
      const id = await insert()
      const run = await start(id)
      expect(await remember(id, run, 'z', { n: 1 })).toBe(true)
      await time.advance(10)
      expect(await remember(id, run, 'a')).toBe(true)
      expect(await remember(id, run, 'z', { n: 2 }, other)).toBe(true)
      await ledger.transaction(writes => writes.handBack({ id, run }))
      expect(await start(id)).toBe(2)
      await remember(id, 2, 'n', null)
      expect(await other.rememberedSteps(id)).toEqual([
        { step: 'z', value: { n: 1 }, run: 1, at: time.now() - 10 },
        { step: 'a', value: undefined, run: 1, at: time.now() },
        { step: 'n', value: null, run: 2, at: time.now() },
      ])
      await ledger.transaction(writes => writes.handBack({ id, run: 2 }))
      expect(await ledger.check()).toEqual([])
    })

    it('are not stored for a run that is stale or over, or without a name', async () => {
      const id = await insert()
      expect(await remember(id, 0, 'a')).toBe(false)
      const run = await start(id)
      expect(await remember(id, run + 1, 'a')).toBe(false)
      expect(await remember('op_999', 1, 'a')).toBe(false)
      await expect(remember(id, run, '')).rejects.toMatchObject({ code: 'invalid' })
      await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true }))
      expect(await remember(id, run, 'a')).toBe(false)
      expect(await other.rememberedSteps(id)).toEqual([])
    })

    it('are deleted with the operation', async () => {
      const id = await insert()
      const run = await start(id)
      await remember(id, run, 'a', 1)
      await ledger.transaction(writes => writes.settle({ id, run }, { succeeded: true }))
      expect(await other.rememberedSteps(id)).toHaveLength(1)
      expect(await ledger.transaction(writes => writes.discard(id))).toBe(true)
      expect(await other.rememberedSteps(id)).toEqual([])
      expect(await ledger.check()).toEqual([])
    })
  })
}
