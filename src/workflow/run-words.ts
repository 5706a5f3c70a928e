import { durationInWords } from '../verdict/duration-words.ts'
import { STEP_STATES, type StepState } from './step-state.ts'
import type { RunView, StepView, Wait } from './view.ts'

/** Marks of states, two characters each: a waiting retry is `RQ`. */
export const MARKS: Readonly<Record<StepState, string>> = {
  pending: '..',
  ready: '->',
  running: '>>',
  retry_pending: 'RQ',
  waiting: 'WT',
  succeeded: 'OK',
  failed: 'XX',
  skipped: '--',
}

/** Says when something is, for people: `in 5 min (14:02)`. */
export type MomentWords = (at: number, now: number) => string

/** A run as text: its steps from top to bottom with what each depends on, its state, and the reason of each wait. */
export function runInWords(view: RunView, now: number, moment: MomentWords): string[] {
  const { run, steps, graph } = view
  const width = Math.max(...steps.map(({ step }) => step.id.length))
  const depths = depthsOf(view)
  const widest = Math.max(...depths)
  const lines = steps.map((step, place) => {
    const depth = depths[place] as number
    const branch = depth === 0 ? '' : `${'│ '.repeat(depth - 1)}└─`
    const name = `${branch}${step.step.id}`.padEnd(width + 2 * widest)
    const after = graph.before(place).map(each => graph.at(each).id)
    // What it waits for says the same.
    const isSaid = step.wait?.steps?.length === after.length
    const needs = after.length > 0 && !isSaid ? ` (after ${after.join(', ')})` : ''
    return [`${MARKS[step.state]} ${name}  ${stepInWords(step, now, moment)}${needs}`, ...moreOf(step)]
  })
  return [
    headOf(view, now, moment),
    '',
    ...lines.flat(),
    ...(run.state === 'running' ? waysOn(view) : endsOf(view)),
  ]
}

/** A line of a list. */
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

/** What a wait is for, and until when. */
export function waitInWords({ what, until, deadline }: Wait, now: number, moment: MomentWords): string {
  return [
    what,
    ...(until === undefined ? [] : [until > now ? `until ${moment(until, now)}` : 'due now']),
    ...(deadline === undefined ? [] : [`at the latest ${moment(deadline, now)}`]),
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
  return `${run.id}  ${run.workflow}  ${words[status]} (${progressOf(steps)}; started ${moment(run.createdAt, now)} by ${run.by}${ended})`
}

/** What keeps a blocked run from going on: not those that only wait for others. */
function waitsOf(steps: readonly StepView[], now: number, moment: MomentWords): string {
  const waiting = steps.filter(({ state, wait }) => wait !== undefined && state !== 'pending')
  return waiting.map(({ step, wait }) => `${waitInWords(wait as Wait, now, moment)} (${step.id})`).join('; ')
}

function progressOf(steps: readonly StepView[]): string {
  const counts = STEP_STATES.map(state => ({ state, n: steps.filter(step => step.state === state).length }))
  const done = counts.find(({ state }) => state === 'succeeded')?.n ?? 0
  const others = counts.filter(({ state, n }) => n > 0 && state !== 'succeeded' && state !== 'pending')
  return [`${done}/${steps.length} succeeded`, ...others.map(({ state, n }) => `${n} ${state}`)].join(', ')
}

function stepInWords({ state, wait, record, reason }: StepView, now: number, moment: MomentWords): string {
  const who = record?.by === undefined ? '' : ` by ${record.by}`
  const took =
    record?.endedAt === undefined || state === 'skipped'
      ? ''
      : ` after ${durationInWords(record.endedAt - record.startedAt)}`
  const why = wait
    ? `: waits for ${waitInWords(wait, now, moment)}`
    : reason === undefined
      ? ''
      : `: ${reason}`
  return `${state}${who}${took}${why}`
}

function moreOf({ question, operation, state }: StepView): string[] {
  return [
    ...(question === undefined ? [] : [`     asks: ${question}`]),
    ...(operation && (state === 'failed' || state === 'waiting' || state === 'retry_pending')
      ? [`     ${operation.id}: mulligan ops show ${operation.id}`]
      : []),
  ]
}

function waysOn({ run, steps }: RunView): string[] {
  const asked = steps.filter(({ question }) => question !== undefined)
  return asked.flatMap(({ step }, index) => [
    ...(index === 0 ? [''] : []),
    `answer: mulligan workflow advance ${run.id} ${step.id} --result JSON`,
  ])
}

function endsOf({ run }: RunView): string[] {
  return run.state === 'succeeded' ? [] : ['', `when it is fixed, go on: mulligan workflow retry ${run.id}`]
}

/** How many steps are above each, at most. */
function depthsOf({ graph, steps }: RunView): number[] {
  const depths: number[] = []
  const depthOf = (place: number): number => {
    depths[place] ??= graph.before(place).reduce((most, before) => Math.max(most, depthOf(before) + 1), 0)
    return depths[place]
  }
  for (const place of steps.keys()) depthOf(place)
  return depths
}
