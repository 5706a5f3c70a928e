import { present } from '../failure/present.ts'
import type { DeadOperation, Operation, SucceededOperation } from '../ledger/operation.ts'
import { isProviderNeed, nextStepOf } from '../provider/next-step.ts'
import { timeToJson } from '../time/time-json.ts'
import type { ParkReason } from '../verdict/verdict.ts'
import type { OperationId } from './operation-id.ts'

/** What `run` returns. */
export type RunResult<R = unknown> = RanNow<R> | HandedOver<R>

/** It succeeded. */
export interface RanNow<R = unknown> {
  queuedForRetry?: false
  /** What the work returned. */
  value: R
  /** Its record in the ledger. */
  operationId: OperationId<R>
}

/** It could not succeed now and will run again when it can. Not a success yet. */
export interface HandedOver<R = unknown> {
  queuedForRetry: true
  /** Its record in the ledger, to wait for. */
  operationId: OperationId<R>
  /** When it is tried again, epoch milliseconds; absent while it waits for a person or a runner, or runs elsewhere. */
  retryAt?: number
  /** What it waits for, if not for a time. */
  parkedFor?: ParkReason
  /** What a person does about it, if it waits for a login or a payment. */
  nextStep?: string
  /** Whether a live runner has its capability; otherwise it waits for one. */
  hasRunner: boolean
  /** For people and agents: that they can move on, what happens next, and how to learn how it ended. */
  retryHint: string
}

/** Whether it was handed over, and not done yet. */
export function isHandedOver<R>(result: RunResult<R>): result is HandedOver<R> {
  return result.queuedForRetry === true
}

/** An operation that has not ended. */
export type PendingOperation = Exclude<Operation, SucceededOperation | DeadOperation>

/** Who could run a waiting operation. */
export interface Prospect {
  /** Whether a live runner has its capability. */
  hasRunner: boolean
  /** Whether any runner is alive. */
  hasAnyRunner: boolean
  /** What is paused, as the argument of `mulligan queue resume`; empty for the whole queue. Undefined if nothing. */
  paused?: string
  /** Whether its capability checks if it happened before it runs again. */
  verifies: boolean
  /** The provider that refused it, if it waits for a login or a payment. */
  refusedBy?: string | undefined
}

/** One sentence on how to learn how an operation ended. */
export type HearBy = (id: string) => string

const byCommand: HearBy = id =>
  `To hear how it ends: mulligan ops wait ${id} (waits, then prints the result), or mulligan ops show ${id}.`

/** The answer to the caller of an operation that has not ended. */
export function handedOver<R>(
  operation: PendingOperation,
  prospect: Prospect,
  hearBy: HearBy = byCommand,
): HandedOver<R> {
  const { id } = operation
  const retryAt = operation.state === 'scheduled' ? operation.dueAt : undefined
  const parkedFor = operation.state === 'parked' ? operation.parkedFor : undefined
  const step = isProviderNeed(parkedFor) ? nextStepOf(parkedFor, operation, prospect.refusedBy) : undefined
  return {
    queuedForRetry: true,
    operationId: id,
    ...present({ retryAt, parkedFor, nextStep: step }),
    hasRunner: prospect.hasRunner,
    retryHint: [
      `Not done yet: ${whatFollows(operation, prospect)}.`,
      ...(step === undefined ? [] : [`${step}.`]),
      ...obstacles(operation, prospect),
      'Move on to other work, and do not start it again.',
      hearBy(id),
    ].join(' '),
  }
}

function whatFollows(operation: PendingOperation, { verifies }: Prospect): string {
  const why = operation.reason === undefined ? '' : ` (${operation.reason})`
  switch (operation.state) {
    case 'running':
      return 'it is running'
    case 'parked':
      return `it waits for ${PARKED_FOR[operation.parkedFor]}, then ${operation.parkedFor === 'label' ? afterLabel(verifies) : 'continues automatically'}${why}`
    case 'scheduled': {
      const held = operation.heldBy === undefined ? '' : `, once provider ${operation.heldBy} can be used`
      return `it is queued and runs again automatically at ${timeToJson(operation.dueAt)}${held}${why}`
    }
  }
}

/** What a parked operation waits for. */
export const PARKED_FOR: Readonly<Record<ParkReason, string>> = {
  label: 'a person to say what the failure is',
  login: 'a login',
  payment: 'a payment',
  runner: 'a runner that has its capability',
  secret: 'a key or variable',
  parameters: 'valid parameters',
}

function afterLabel(verifies: boolean): string {
  return `it is judged by that: it runs again if the failure is temporary${verifies ? ' and it has not happened' : ''}, and ends if it is permanent`
}

/** What prevents it from running when it is due. */
function obstacles({ state, capability }: PendingOperation, prospect: Prospect): string[] {
  if (state === 'running') return []
  const { hasRunner, hasAnyRunner, paused } = prospect
  const start = 'start one with "mulligan serve", or queue.runner().start() in a program that has it'
  return [
    ...(hasRunner
      ? []
      : hasAnyRunner
        ? [`No live runner has ${JSON.stringify(capability)}, so nothing happens until one does: ${start}.`]
        : [`No runner is alive, so nothing happens until one is: ${start}.`]),
    ...(paused === undefined
      ? []
      : [`It is paused, so nothing happens until you run: mulligan queue resume${paused && ` ${paused}`}.`]),
  ]
}
