import type { Attempt } from '../../ledger/attempt.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { holdInWords } from '../../ledger/hold-words.ts'
import type { Operation, ParkedOperation } from '../../ledger/operation.ts'
import { sourceInWords } from '../../ledger/source-words.ts'
import { nextStepOf, refuserOf } from '../../provider/next-step.ts'
import { type OperationBackground, remainingRetries, standingReason } from '../../queue/operation-json.ts'
import { PARKED_FOR } from '../../queue/run-result.ts'
import { timeToJson } from '../../time/time-json.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { authorInWords } from '../../workflow/author-words.ts'
import { changeInOneLine } from './change-words.ts'
import { momentInWords } from './failure-words.ts'

/**
 * The state of an operation: since when, until when, and what it waits for.
 * @param servesAt when the provider that it is held for can serve, epoch milliseconds, if that is known
 */
export function standingInWords(
  operation: Operation,
  background: OperationBackground,
  now: number,
  servesAt?: number,
): string {
  const holdOf = (heldBy: string) =>
    holdInWords(heldBy, servesAt === undefined ? undefined : momentInWords(servesAt, now))
  switch (operation.state) {
    case 'scheduled': {
      const { dueAt, heldBy, run, mode } = operation
      const isDue = dueAt < now + 1_000
      const when = isDue ? 'due' : `due ${momentInWords(dueAt, now)}`
      if (run === 0) return heldBy === undefined ? when : `${when}, ${holdOf(heldBy)}`
      const left = remainingRetries(operation, background)
      return [
        isDue ? 'retry due' : `retry ${momentInWords(dueAt, now)}`,
        ...(mode === 'resume' ? ['resuming its session'] : []),
        left === 1 ? '1 retry left' : `${left} retries left`,
        ...(heldBy === undefined ? [] : [holdOf(heldBy)]),
      ].join(', ')
    }
    case 'running':
      return `running for ${durationInWords(Math.max(0, now - operation.startedAt))}${operation.cancelRequested ? ', being cancelled' : ''}`
    case 'parked':
      return `waiting for ${PARKED_FOR[operation.parkedFor]} since ${momentInWords(operation.parkedAt, now)}`
    case 'succeeded':
      return `succeeded ${momentInWords(operation.endedAt, now)}`
    case 'dead':
      return `dead (${operation.deadAs}) ${momentInWords(operation.endedAt, now)}`
  }
}

/** The command that continues a parked operation. */
export function wayOnInWords(operation: ParkedOperation, attempts: readonly Attempt[]): string {
  const { id, parkedFor, failure } = operation
  const retry = `mulligan ops retry ${id}`
  switch (parkedFor) {
    case 'label':
      return failure
        ? `label its failure: mulligan unknowns label ${failure.fingerprint} CLASS; or ${retry}`
        : `${retry}; to give up: mulligan ops cancel ${id}`
    case 'login':
    case 'payment':
      return nextStepOf(parkedFor, operation, refuserOf(parkedFor, attempts))
    case 'runner':
      return 'start a runner whose config has the capability'
    case 'secret':
      return `once the runner has it; or use another: mulligan ops edit ${id} --param NAME=VALUE`
    case 'parameters':
      return `mulligan ops edit ${id} --param NAME=VALUE`
  }
}

/** An operation as one line of a list. */
export function operationInOneLine(
  operation: Operation,
  background: OperationBackground,
  now: number,
  servesAt?: number,
): string {
  const { id, capability, state, failure } = operation
  const why = standingReason(operation) ?? (state === 'scheduled' ? failure?.message : undefined)
  return [id, capability, standingInWords(operation, background, now, servesAt), ...(why ? [why] : [])].join(
    '  ',
  )
}

/** The history of an operation, with evidence and reasons. */
export function timelineInWords(
  events: readonly LedgerEvent[],
  attempts: readonly Attempt[],
  operation: Operation,
): string[] {
  const lines: string[] = []
  let added = 0
  // An attempt comes before the event it led to: the one that names it, or the one that ended its run.
  const addAttempts = (until: number) => {
    for (const attempt of attempts.slice(added, until)) lines.push(...attemptInWords(attempt))
    added = Math.max(added, until)
  }
  for (const event of events) {
    const number = event.data?.attempt
    if (typeof number === 'number') addAttempts(number)
    else if (ENDS.includes(event.type)) addAttempts(lastAttemptOf(attempts, event.run))
    const words = eventInWords(event, operation)
    if (words !== undefined) lines.push(`${moment(event.at)}  ${words}`)
  }
  addAttempts(attempts.length)
  return lines
}

const ENDS: readonly LedgerEvent['type'][] = ['succeeded', 'handed_back']

function lastAttemptOf(attempts: readonly Attempt[], run: number | undefined): number {
  return attempts.findLast(attempt => run === undefined || attempt.run <= run)?.number ?? 0
}

function attemptInWords(attempt: Attempt): string[] {
  const { number, provider, failure, verdict, costUsd, sessionId, startedAt, endedAt } = attempt
  const who = provider === undefined ? '' : ` by ${provider}`
  const facts = [
    `took ${durationInWords(Math.max(0, endedAt - startedAt))}`,
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
    ...(sessionId === undefined ? [] : [`session ${sessionId}`]),
  ].join(', ')
  const { verification } = (attempt.note ?? {}) as { verification?: unknown }
  // The verification was the whole try; nothing ran.
  if (!failure && verification === 'done')
    return [
      `${moment(endedAt)}  try ${number} found that it had already taken effect, so it did not run again (${facts})`,
    ]
  if (!failure) return [`${moment(endedAt)}  try ${number}${who} succeeded (${facts})`]
  const { evidence } = failure
  const lost = evidence.lost.map(({ rule }) => rule)
  return [
    `${moment(endedAt)}  try ${number}${who} failed: ${failure.class}/${failure.kind}: ${failure.message} (${facts})`,
    `${INDENT}evidence: ${evidence.rule === 'none' ? 'no rule matched' : `rule ${evidence.rule} on ${evidence.where}: ${evidence.excerpt}`}${lost.length > 0 ? ` (over ${lost.join(', ')})` : ''}`,
    `${INDENT}effect: ${failure.effect}`,
    ...(verdict
      ? [`${INDENT}verdict: ${verdict.action}, because ${verdict.reason} (rule ${verdict.rule})`]
      : []),
  ]
}

/** Aligns details below the text of an event. */
const INDENT = ' '.repeat(22)

/** An event as a sentence; undefined if it is not shown. */
export function eventInWords(event: LedgerEvent, operation?: Operation): string | undefined {
  const { type, run, data = {} } = event
  const reason = typeof data.reason === 'string' ? `: ${data.reason}` : ''
  const took = runInWords(data)
  const due = typeof data.due_at === 'number' ? ` at ${moment(data.due_at)}` : ''
  switch (type) {
    case 'submitted':
      return operation ? submissionInWords(operation) : 'submitted'
    case 'claimed':
      return `run ${run} started`
    case 'taken_over':
      return `run ${run} took over from ${data.from}, which was lost`
    case 'attempted':
    case 'recorded':
      return undefined
    case 'retrying':
      return `retry${due}${reason}${took}`
    case 'snoozed':
      return `snoozed until ${typeof data.due_at === 'number' ? moment(data.due_at) : 'then'}${reason}${took}`
    case 'parked':
      return `parked: waits for ${PARKED_FOR[data.for as ParkedOperation['parkedFor']] ?? data.for}${reason}${took}`
    case 'succeeded':
      if (typeof data.marked_by === 'string') return `marked as done by ${data.marked_by}${reason}`
      return `succeeded${typeof data.by === 'string' ? `, as ${data.by} said` : ''}${reason}${took}`
    case 'dead':
      return `dead (${data.as})${reason}${took}`
    case 'handed_back':
      return `run ${run} returned to the queue unfinished${reason}${took}`
    case 'held':
      return holdInWords(String(data.by))
    case 'freed':
      return `${data.by} can serve again`
    case 'cancel_requested':
      return `cancel requested${reason}`
    case 'edited':
      return 'edited'
    case 'revived':
      return `runs again${due || ' at once'}`
    case 'unparked':
      return `continues${reason}`
    case 'discarded':
      return 'discarded'
    case 'pruned':
      return `deleted ${data.operations} old operations`
    case 'paused':
      return `${subjectOf(data)} was paused`
    case 'resumed':
      return `${subjectOf(data)} was resumed`
    case 'provider_blocked':
      return `provider ${data.provider} is blocked ${typeof data.until === 'number' ? `until ${moment(data.until)}` : 'until cleared'}${because(data)}`
    case 'provider_freed':
      return `provider ${data.provider} may be called again`
    case 'provider_served':
      return data.by === 'reset'
        ? `provider ${data.provider} was reset by a person`
        : `provider ${data.provider} served again`
    case 'time_skipped':
      return `schedule ${data.schedule} skipped ${data.at}${reason}`
    case 'stray_error':
      return `uncaught error in ${data.capability ?? 'unknown code'}${typeof data.operation === 'string' ? ` (${data.operation})` : ''}: ${data.message}`
    case 'workflow_started':
      return `${data.workflow_run} (${data.workflow}) started ${authorInWords(String(data.by))}`
    case 'workflow_asked':
      return `${data.workflow_run} (${data.workflow}) waits for an answer to ${data.step}${typeof data.question === 'string' ? `: ${data.question}` : ''}`
    case 'workflow_changed':
      return `${data.workflow_run} (${data.workflow}): ${data.action}${data.step === undefined ? '' : ` ${data.step}`} ${authorInWords(String(data.by))}`
    case 'workflow_ended':
      return `${data.workflow_run} (${data.workflow}) ${data.state}${reason}`
    case 'changed':
      return `${changeInOneLine(String(data.action), data.subject === undefined ? undefined : String(data.subject))}, by ${data.by}${reason}`
    case 'workflow_idle':
      return `${data.workflow_run} (${data.workflow}) has made no progress for 24 hours`
    default:
      return (type as string).replaceAll('_', ' ')
  }
}

/** Why a provider is blocked. */
function because({ cause, kind }: Record<string, unknown>): string {
  const words = [cause, kind].filter(word => typeof word === 'string')
  return words.length === 0 ? '' : ` (${[...new Set(words)].join(', ')})`
}

/** Duration and cost of the run that ended; empty if no run ended. */
function runInWords({ duration_ms, cost_usd }: Record<string, unknown>): string {
  if (typeof duration_ms !== 'number') return ''
  return ` (run took ${durationInWords(duration_ms)}${typeof cost_usd === 'number' ? `, $${cost_usd.toFixed(2)}` : ''})`
}

/** "submitted", and by what if not by a plain submit. */
function submissionInWords({ source, context }: Operation): string {
  const { cron, at } = (context ?? {}) as { cron?: unknown; at?: unknown }
  switch (source) {
    case 'submit':
      return 'submitted'
    case 'run':
      return 'submitted, to run at once'
    case 'cron':
      return at === undefined
        ? `submitted by hand for schedule ${cron}`
        : `submitted by schedule ${cron} for ${at}`
    default:
      return `submitted through ${sourceInWords(source)}`
  }
}

function subjectOf(data: Record<string, unknown>): string {
  if (typeof data.provider === 'string') return `provider ${data.provider}`
  if (typeof data.schedule === 'string') return `schedule ${data.schedule}`
  return typeof data.capability === 'string' ? `capability ${data.capability}` : 'the queue'
}

function moment(at: number): string {
  return timeToJson(at).replace(/\.\d+Z$/, 'Z')
}
