import type { LedgerTransaction, MaybePromise } from '../ledger/ledger.ts'
import { inOrder, whenThere } from '../ledger/maybe-promise.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { StepChange } from '../ledger/workflow-run.ts'
import type { NewStanding, Progress } from './progress.ts'

/** A run changed between reading it and writing: what was decided is not written, and to be decided anew. */
export class Outdated extends Error {
  override name = 'Outdated'
}

/**
 * What names the operation of a step. The version of the run tells a step that is run anew from the one before, which may
 * still be ending.
 */
export function keyOfStep(run: string, step: string, version: number): string {
  return `${run}/${step}/${version}`
}

/**
 * Writes how a run goes on, in one transaction: operations and steps together. Throws {@link Outdated} if somebody else
 * changed the run meanwhile. Without `await`: a database that answers at once wants its transaction to end at once.
 */
export function writeProgress(writes: LedgerTransaction, progress: Progress): MaybePromise<void> {
  const { run, changes, cancels, revives, action, isMoved, state, reason } = progress
  const starts = [...changes].flatMap(([place, standing]) =>
    'starts' in standing ? [{ place, operation: operationOf(progress, place, standing) }] : [],
  )
  return whenThere(writes.insert(starts.map(({ operation }) => operation)), inserted => {
    const ids = new Map(starts.map(({ place }, index) => [place, inserted[index]?.id as string]))
    const steps = [...changes].map(([place, standing]) => changeOf(place, standing, ids))
    const change = {
      steps,
      ...(isMoved ? { state } : {}),
      ...(isMoved && reason !== undefined ? { reason } : {}),
      ...(action === undefined ? {} : { action }),
    }
    return whenThere(writes.changeWorkflowRun(run.id, run.version, change), isWritten => {
      if (!isWritten) throw new Outdated(`${run.id} has changed meanwhile`)
      const moves: (() => MaybePromise<unknown>)[] = [
        ...[...cancels].map(
          ([id, why]) =>
            () =>
              writes.cancel(id, why),
        ),
        ...[...revives].map(id => () => revived(writes, id)),
        ...eventsOf(progress).map(
          ([type, data]) =>
            () =>
              writes.tell(type, data),
        ),
      ]
      return whenThere(
        inOrder(moves, move => move()),
        () => {},
      )
    })
  })
}

/** The operation may have been pruned or revived since it was looked at. */
function revived(writes: LedgerTransaction, id: string): MaybePromise<void> {
  return whenThere(writes.revive(id), isRevived => {
    if (!isRevived) throw new Outdated(`${id} is not dead any more`)
  })
}

function operationOf(
  { run, graph }: Progress,
  place: number,
  { starts }: Extract<NewStanding, { starts: unknown }>,
): NewOperation {
  const { id } = graph.at(place)
  return {
    ...starts,
    key: keyOfStep(run.id, id, run.version),
    // The step itself says whether it has an operation; the key need not outlive it.
    keyRetentionMs: 0,
    source: 'workflow',
    context: { workflow_run: run.id, workflow: run.workflow, step: id },
  }
}

function changeOf(step: number, standing: NewStanding, ids: ReadonlyMap<number, string>): StepChange {
  if (!('starts' in standing)) return { step, ...standing }
  const { starts: _, ...rest } = standing
  return { step, ...rest, operation: ids.get(step) as string }
}

/** Says in an event that all steps have begun that can: an attendant need not look at the run. */
export function begunOf(progress: Progress): { begun?: true } {
  return progress.ready().length > 0 ? {} : { begun: true }
}

type Told = ['workflow_asked' | 'workflow_changed' | 'workflow_ended', Record<string, unknown>]

function eventsOf(progress: Progress): Told[] {
  const { run, graph, changes, action, isMoved, state, reason } = progress
  const about = { workflow_run: run.id, workflow: run.workflow }
  const asked = [...changes].flatMap(([place, standing]): Told[] =>
    standing.state === 'asked' ? [['workflow_asked', { ...about, step: graph.at(place).id }]] : [],
  )
  const changed: Told[] =
    action === undefined
      ? []
      : [
          [
            'workflow_changed',
            {
              ...about,
              action: action.action,
              by: action.by,
              ...(action.step === undefined ? {} : { step: graph.at(action.step).id }),
              ...begunOf(progress),
            },
          ],
        ]
  const ended: Told[] =
    isMoved && state !== 'running'
      ? [['workflow_ended', { ...about, state, ...(reason === undefined ? {} : { reason }) }]]
      : []
  return [...asked, ...changed, ...ended]
}
