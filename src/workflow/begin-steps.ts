import { PROMPT_CAPABILITY, REPEATABLE_PROMPT_CAPABILITY } from '../capability/prompt-capability.ts'
import { isLedgerError } from '../ledger/error.ts'
import { holds, readCondition } from '../plan/condition.ts'
import { filled, sourcesIn, type Values } from '../plan/placeholder.ts'
import type { PlanStep } from '../plan/plan.ts'
import { isQueueError } from '../queue/error.ts'
import type { Queue } from '../queue/queue.ts'
import type { Progress } from './progress.ts'

/** Whether a step of a group may start: now, after another has ended, or never. */
export type Turn =
  | { begin: 'now'; maxCostUsd?: number }
  | { begin: 'later' }
  | { begin: 'never'; why: string }

/** For a run whose changes the ledger refused to write: none of its steps start, and they fail with this error. */
export function noTurn({ message }: Error): () => Turn {
  return () => ({ begin: 'never', why: message })
}

/** Options for starting steps. */
export interface BeginOptions {
  /**
   * Leaves steps that an attendant must start: those of a group, because it knows the group's other runs, and those whose
   * capability this process does not have. Default false.
   */
  knownOnly?: boolean
  /** Called before each step starts. Default: all start now. */
  turnOf?: () => Turn
  /** Called for each step that gets an operation. Default none. */
  began?: () => void
}

/** Starts every step that can start, until none is left: runs it, asks, or skips it. Writes nothing. */
export async function beginSteps(
  queue: Queue,
  progress: Progress,
  { knownOnly = false, turnOf = () => ({ begin: 'now' }), began = () => {} }: BeginOptions = {},
): Promise<void> {
  const { graph } = progress
  const later = new Set<number>()
  const isLeft = ({ run }: PlanStep) =>
    knownOnly && (graph.plan.group !== undefined || (run !== undefined && !queue.registry.has(run)))
  for (;;) {
    const ready = progress.settleReady().filter(place => !later.has(place) && !isLeft(graph.at(place)))
    if (ready.length === 0) return
    for (const place of ready) {
      if (progress.state !== 'running') break
      const turn = turnOf()
      if (turn.begin === 'later') later.add(place)
      else if (turn.begin === 'never') progress.fail(place, turn.why)
      else {
        await beginStep(queue, progress, place, turn.maxCostUsd)
        if (progress.standing(place).state === 'open') began()
      }
    }
  }
}

async function beginStep(
  queue: Queue,
  progress: Progress,
  place: number,
  maxCostUsd: number | undefined,
): Promise<void> {
  const step = progress.graph.at(place)
  const values = await valuesFor(queue, progress, step)
  const condition = step.when === undefined ? undefined : readCondition(step.when)
  if (condition && !holds(condition, values)) return progress.skip(place, `condition is false: ${step.when}`)
  const deadline = deadlineOf(queue, step)
  if (step.run === undefined) return progress.ask(place, questionOf(step, values), deadline)
  try {
    const operation = await queue.prepare({
      capability: step.run,
      params: withinCost(step.run, filled(step.params ?? {}, values), maxCostUsd),
      ...(step.providers ? { providers: step.providers } : {}),
      // Parameters of a capability that only another runner has are checked when it runs.
      unchecked: !queue.registry.has(step.run),
      source: 'workflow',
    })
    progress.start(place, operation, deadline)
  } catch (error) {
    if (!isQueueError(error) && !isLedgerError(error)) throw error
    progress.fail(place, error.message)
  }
}

/** Sets the cost limit of a prompt; other capabilities have no parameter for it. */
function withinCost(capability: string, params: unknown, maxCostUsd: number | undefined): unknown {
  if (maxCostUsd === undefined || !PROMPTS.has(capability)) return params
  const { options, ...rest } = params as { options?: Record<string, unknown> }
  const own = options?.max_budget_usd
  const most = typeof own === 'number' ? Math.min(own, maxCostUsd) : maxCostUsd
  return { ...rest, options: { ...options, max_budget_usd: most } }
}

const PROMPTS: ReadonlySet<string> = new Set([PROMPT_CAPABILITY, REPEATABLE_PROMPT_CAPABILITY])

/** The question of a step, with its places filled in. */
export function questionOf({ ask = '' }: PlanStep, values: Values): string {
  return String(filled(ask, values))
}

/** The deadline of a step that starts now, epoch milliseconds; undefined without a time limit. */
export function deadlineOf(queue: Queue, { timeoutMs }: PlanStep): number | undefined {
  return timeoutMs === undefined ? undefined : queue.time.now() + timeoutMs
}

/** The parameters and results that a step refers to. */
export async function valuesFor(queue: Queue, progress: Progress, step: PlanStep): Promise<Values> {
  const condition = step.when === undefined ? undefined : readCondition(step.when)
  const sources = [...sourcesIn([step.params, step.ask]), ...(condition ? [condition.source] : [])]
  const results = new Map<string, unknown>()
  for (const { step: id } of sources)
    if (id !== undefined && !results.has(id)) results.set(id, await resultOf(queue, progress, id))
  return { params: progress.run.params, result: id => results.get(id) }
}

async function resultOf({ ledger }: Queue, { run, graph, changes }: Progress, id: string): Promise<unknown> {
  const place = graph.placeOf(id)
  const change = changes.get(place)
  if (change) return change.state === 'succeeded' ? change.result : null
  return (await ledger.stepResult(run.id, place))?.result ?? null
}
