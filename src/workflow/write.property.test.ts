import fc from 'fast-check'
import { expect, it } from 'vitest'
import { present } from '../failure/present.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { Graph } from './graph.ts'
import { Progress, type RunStanding } from './progress.ts'
import { writeProgress } from './write.ts'

const PLAN = {
  name: 'w',
  steps: ['a', 'b', 'c', 'd'].map((id, place, all) => ({
    id,
    run: 'x',
    after: all.slice(0, place).slice(-1),
    onFail: 'continue' as const,
  })),
}
const CHANGES: Record<string, (progress: Progress, place: number) => void> = {
  succeed: (progress, place) => progress.succeed(place, { result: place }),
  fail: (progress, place) => progress.fail(place, 'refused'),
  skip: (progress, place) => progress.skip(place, 'not wanted'),
  skipBecause: (progress, place) => progress.skip(place, 'a failed', { cause: 0 }),
  start: (progress, place) => progress.start(place, { capability: 'x', params: {} }),
  ask: (progress, place) => progress.ask(place, 'Really?'),
  forget: (progress, place) => progress.forget(place, 'anew'),
  reopen: (progress, place) => {
    if (progress.record(place)?.operation !== undefined) progress.reopen(place)
  },
  end: progress => progress.end('cancelled', 'enough', 'enough'),
  open: progress => progress.open(),
}

/** The part of a run that decides how it continues. */
function standingOf(run: WorkflowRun): RunStanding {
  const { id, workflow, plan, params, state, version, createdAt } = run
  const steps = run.steps.map(({ step, state, operation, operations, cause }) => ({
    step,
    state,
    operations,
    ...present({ operation, cause }),
  }))
  return { id, workflow, plan, params, state, version, createdAt, steps }
}

it('a run after writing equals the run read again', async () => {
  const change = fc.record({ what: fc.constantFrom(...Object.keys(CHANGES)), place: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 4 })), async rounds => {
      const ledger = await memoryLedger({ time: new FakeTime() })
      const run = { workflow: 'w', plan: PLAN, steps: 4, params: { n: 1 }, by: 'ann' }
      const { id } = await ledger.transaction(writes => writes.addWorkflowRun(run))
      let standing = standingOf((await ledger.workflowRun(id)) as WorkflowRun)
      for (const changes of rounds) {
        const progress = new Progress(standing, new Graph(PLAN))
        for (const { what, place } of changes) CHANGES[what]?.(progress, place)
        progress.revives.clear()
        progress.cancels.clear()
        standing = (await ledger.transaction(writes => writeProgress(writes, progress))) as RunStanding
        expect(standing).toEqual(standingOf((await ledger.workflowRun(id)) as WorkflowRun))
      }
      await ledger.close()
    }),
    { numRuns: 100 },
  )
})
