import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { cutAt } from '../failure/text/cut.ts'
import { oneLine } from '../failure/text/printable.ts'
import { isLedgerError, type LedgerError } from '../ledger/error.ts'
import type { LedgerTransaction } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import type { StepChange } from '../ledger/workflow-run.ts'
import { answerOf, type Writing } from '../ledger/writing.ts'
import type { NewStanding, Progress, RunStanding } from './progress.ts'

/** The run changed between reading and writing. Nothing is written; read it and decide again. */
export class Outdated extends Error {
  override name = 'Outdated'
}

/** Whether the ledger refuses a write because of its content, so that repeating it is useless. */
export function isRefusal(error: unknown): error is LedgerError {
  return isLedgerError(error) && (error.code === 'key_conflict' || error.code === 'invalid')
}

/**
 * The key of a step's operation. The version of the run distinguishes it from the step's previous operation, which may
 * still be stopping.
 */
export function keyOfStep(run: string, step: string, version: number): string {
  return `${run}/${step}/${version}`
}

/**
 * Writes the next changes of a run in one transaction, operations and steps together. Returns the run after the changes.
 * Throws {@link Outdated} if the run has changed since it was read.
 */
export function* writeProgress(writes: LedgerTransaction, progress: Progress): Writing<RunStanding> {
  const { run, changes, cancels, revives, action, isMoved, state, reason } = progress
  const starts = [...changes].flatMap(([place, standing]) =>
    'starts' in standing ? [{ place, operation: operationOf(progress, place, standing) }] : [],
  )
  const inserted = yield* answerOf(writes.insert(starts.map(({ operation }) => operation)))
  const ids = new Map(starts.map(({ place }, index) => [place, inserted[index]?.id as string]))
  const change = {
    steps: [...changes].map(([place, standing]) => changeOf(place, standing, ids)),
    ...(isMoved ? { state } : {}),
    ...(isMoved && reason !== undefined ? { reason } : {}),
    ...present({ action }),
  }
  if (!(yield* answerOf(writes.changeWorkflowRun(run.id, run.version, change))))
    throw new Outdated(`${run.id} has changed since it was read`)
  for (const [id, why] of cancels) yield* answerOf(writes.cancel(id, why))
  // Checked because the operation may have been pruned or revived since it was read.
  for (const id of revives)
    if (!(yield* answerOf(writes.revive(id)))) throw new Outdated(`${id} is no longer dead`)
  for (const [type, data] of eventsOf(progress)) yield* answerOf(writes.tell(type, data))
  return progress.written(ids)
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
    // The step records its operation, so the key need not outlive it.
    keyRetentionMs: 0,
    source: 'workflow',
    context: { workflow_run: run.id, workflow: run.workflow, step: id },
  }
}

function changeOf(step: number, standing: NewStanding, ids: ReadonlyMap<number, string>): StepChange {
  if (standing.state === 'asked') {
    // A view fills it in again; only the event tells it.
    const { question: _, ...rest } = standing
    return { step, ...rest }
  }
  if (!('starts' in standing)) return { step, ...standing }
  const { starts: _, ...rest } = standing
  return { step, ...rest, operation: ids.get(step) as string }
}

/** Marks an event if every step that can start has started: then an attendant need not read the run. */
export function begunOf(progress: Progress): { begun?: true } {
  return progress.settleReady().length > 0 ? {} : { begun: true }
}

/** Longest question in an event, in UTF-16 units: it may quote a long result. */
const LONGEST_QUESTION = 1_000

/** A question for everyone who reads events: it may quote results, which may contain secrets. */
function told(question: string): string {
  return cutAt(redact(oneLine(question)), LONGEST_QUESTION)
}

type Told = ['workflow_asked' | 'workflow_changed' | 'workflow_ended', Record<string, unknown>]

function eventsOf(progress: Progress): Told[] {
  const { run, graph, changes, action, isMoved, state, reason } = progress
  const about = { workflow_run: run.id, workflow: run.workflow }
  const asked = [...changes].flatMap(([place, standing]): Told[] =>
    standing.state === 'asked'
      ? [['workflow_asked', { ...about, step: graph.at(place).id, question: told(standing.question) }]]
      : [],
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
    isMoved && state !== 'running' ? [['workflow_ended', { ...about, state, ...present({ reason }) }]] : []
  return [...asked, ...changed, ...ended]
}
