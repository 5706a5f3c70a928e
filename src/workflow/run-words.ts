import { oneLine } from '../failure/text/printable.ts'
import type { PlanStep } from '../plan/plan.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import { authorInWords } from './author-words.ts'
import type { Graph } from './graph.ts'
import { STEP_STATES, type StepState } from './step-state.ts'
import type { RunView, StepView, Wait } from './view.ts'

/** Writes a time for people: `in 5 min (14:02)`. */
export type MomentWords = (at: number, now: number) => string

/** A run as text: its steps as a tree, each with its state, what it waits for, and its other dependencies. */
export function runInWords(view: RunView, now: number, moment: MomentWords): string[] {
  const { run, graph } = view
  const drawn = drawingOf(view)
  const width = Math.max(...drawn.map(({ branch, place }) => branch.length + graph.at(place).id.length))
  const lines = drawn.map(({ place, branch, under }) => {
    const step = view.steps[place] as StepView
    const name = `${branch}${step.step.id}`.padEnd(width)
    const after = graph.before(place).map(each => graph.at(each).id)
    // Omitted if the step above it or its wait already says the same.
    const isSaid = step.wait?.steps?.length === after.length || (after.length === 1 && under !== undefined)
    const needs = after.length > 0 && !isSaid ? ` (after ${after.join(', ')})` : ''
    return [`${name}  ${stepInWords(step, now, moment)}${needs}`, ...moreOf(step)]
  })
  return [
    headOf(view, now, moment),
    '',
    ...lines.flat(),
    ...(run.state === 'running' ? waysOn(view) : endsOf(view)),
  ]
}

/** A run as one line of a list. */
export function runInOneLine(view: RunView, now: number, moment: MomentWords): string {
  const { run, steps } = view
  const why = view.status === 'blocked' ? `waits for ${waitsOf(steps, now, moment)}` : run.reason
  return [
    run.id,
    run.workflow,
    view.status,
    progressOf(steps),
    `started ${moment(run.createdAt, now)}`,
    ...(why === undefined ? [] : [why]),
  ].join('  ')
}

/** What a step waits for, and until when. */
export function waitInWords({ what, until, deadline }: Wait, now: number, moment: MomentWords): string {
  return [
    what,
    ...(until === undefined ? [] : [until > now ? `until ${moment(until, now)}` : 'due now']),
    ...(deadline === undefined ? [] : [`times out ${moment(deadline, now)}`]),
  ].join(', ')
}

function headOf({ run, status, steps }: RunView, now: number, moment: MomentWords): string {
  const words: Record<RunView['status'], string> = {
    running: 'running',
    blocked: `blocked: waits for ${waitsOf(steps, now, moment)}`,
    succeeded: 'succeeded',
    failed: `failed: ${run.reason ?? ''}`,
    cancelled: run.reason ?? 'cancelled',
  }
  const ended = run.endedAt === undefined ? '' : `, took ${durationInWords(run.endedAt - run.createdAt)}`
  return `${run.id}  ${run.workflow}  ${words[status]} (${progressOf(steps)}; started ${moment(run.createdAt, now)} ${authorInWords(run.by)}${ended})`
}

/** What a blocked run waits for, without steps that only wait for other steps. */
function waitsOf(steps: readonly StepView[], now: number, moment: MomentWords): string {
  const waiting = steps.filter(({ state, wait }) => wait !== undefined && state !== 'pending')
  return waiting.map(({ step, wait }) => `${waitInWords(wait as Wait, now, moment)} (${step.id})`).join('; ')
}

function progressOf(steps: readonly StepView[]): string {
  const counts = STEP_STATES.map(state => ({ state, n: steps.filter(step => step.state === state).length }))
  const done = counts.find(({ state }) => state === 'succeeded')?.n ?? 0
  const others = counts.filter(({ state, n }) => n > 0 && state !== 'succeeded' && state !== 'pending')
  return [`${done}/${steps.length} succeeded`, ...others.map(({ state, n }) => `${n} ${nameOf(state)}`)].join(
    ', ',
  )
}

function stepInWords({ state, wait, record, reason }: StepView, now: number, moment: MomentWords): string {
  const who = record?.by === undefined ? '' : ` by ${record.by}`
  const took =
    record?.endedAt === undefined || state === 'skipped'
      ? ''
      : ` after ${durationInWords(record.endedAt - record.startedAt)}`
  const why = wait
    ? `: waits for ${waitInWords(wait, now, moment)}`
    : // Without a reason of its own, a skip says only who did it.
      reason === undefined || reason === `${state}${who}`
      ? ''
      : `: ${reason}`
  return `${nameOf(state)}${who}${took}${why}`
}

/** The state of a step in words. */
function nameOf(state: StepState): string {
  return state.replace('_', ' ')
}

function moreOf({ question, operation, state }: StepView): string[] {
  return [
    ...(question === undefined ? [] : [`     asks: ${oneLine(question)}`]),
    ...(operation && (state === 'failed' || state === 'waiting' || state === 'retry_pending')
      ? [`     ${operation.id}: mulligan ops show ${operation.id}`]
      : []),
  ]
}

function waysOn({ run, steps }: RunView): string[] {
  const asked = steps.filter(({ question }) => question !== undefined)
  return asked.flatMap(({ step }, index) => [
    ...(index === 0 ? [''] : []),
    `answer: mulligan workflow advance ${run.id} ${step.id} --result ${answerForm(step)}`,
  ])
}

/** The form of an answer, with the types of the fields that it must have: `'{"ok": BOOLEAN}'`. */
function answerForm({ answer = {} }: PlanStep): string {
  const fields = Object.entries(answer).filter(([, { required }]) => required)
  if (fields.length === 0) return 'JSON'
  return `'{${fields.map(([name, { type }]) => `${JSON.stringify(name)}: ${type.toUpperCase()}`).join(', ')}}'`
}

function endsOf({ run }: RunView): string[] {
  if (run.state === 'succeeded') return []
  const when = run.state === 'cancelled' ? 'to continue it' : 'after fixing the cause'
  return ['', `${when}: mulligan workflow retry ${run.id}`]
}

interface Drawn {
  place: number
  /** The lines that connect it to its parent. */
  branch: string
  under: number | undefined
}

/** The steps from top to bottom, each below its deepest dependency. */
function drawingOf({ graph }: RunView): Drawn[] {
  const depths = depthsOf(graph)
  const parentOf = (place: number) =>
    graph
      .before(place)
      .toSorted((a, b) => (depths[b] as number) - (depths[a] as number) || b - a)
      .at(0)
  const children = Map.groupBy(graph.steps.keys(), parentOf)
  const drawn: Drawn[] = []
  // A stack, because a chain of steps can be longer than the call stack allows.
  const open = (children.get(undefined) ?? []).toReversed().map(place => ({ place, branch: '', rest: '' }))
  for (let next = open.pop(); next; next = open.pop()) {
    const { place, branch, rest } = next
    drawn.push({ place, branch, under: parentOf(place) })
    const below = children.get(place) ?? []
    for (const [index, child] of below.toReversed().entries())
      open.push({
        place: child,
        branch: `${rest}${index === 0 ? '└─' : '├─'}`,
        rest: `${rest}${index === 0 ? '  ' : '│ '}`,
      })
  }
  return drawn
}

/** The length of the longest chain of dependencies above each step. */
function depthsOf(graph: Graph): number[] {
  const depths: number[] = []
  const depthOf = (place: number): number => {
    depths[place] ??= graph.before(place).reduce((most, before) => Math.max(most, depthOf(before) + 1), 0)
    return depths[place]
  }
  for (const place of graph.steps.keys()) depthOf(place)
  return depths
}
