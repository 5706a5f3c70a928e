import { present } from '../../../failure/present.ts'
import type { Attempt } from '../../../ledger/attempt.ts'
import type { DeadOperation, Operation } from '../../../ledger/operation.ts'
import type { OperationResult } from '../../../queue/result.ts'
import type { HandedOver } from '../../../queue/run-result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { type Era, identityIn, TASKS_EXTENSION } from '../era.ts'
import { isObject, type RequestId, type RpcError, resultLine } from '../json-rpc.ts'
import { endInWords, PARKED_FOR } from './result-tool.ts'

/** How often clients should poll a task, in milliseconds. */
const POLL_MOST_MS = 30_000
const POLL_LEAST_MS = 1_000

/** Whether this request may be answered with a task: it says so itself, and what the client said before does not count. */
export function declaresTasks(params: unknown, era: Era): boolean {
  if (era === 'session') return isObject(params) && isObject(params.task)
  const extensions = identityIn(params)?.capabilities.extensions
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined
}

/** A call became a task. */
export function createdTask(
  id: RequestId,
  era: Era,
  { operationId, retryAt }: HandedOver,
  hint: string,
  now = Date.now(),
): Buffer {
  const waitMs = retryAt === undefined ? POLL_MOST_MS : retryAt - now
  const pollMs = Math.round(Math.min(POLL_MOST_MS, Math.max(POLL_LEAST_MS, waitMs)))
  const task = {
    taskId: operationId,
    status: 'working',
    statusMessage: hint,
    createdAt: timeToJson(now),
    lastUpdatedAt: timeToJson(now),
  }
  return resultLine(
    id,
    JSON.stringify(
      era === 'stateless'
        ? { resultType: 'task', ...task, ttlMs: null, pollIntervalMs: pollMs }
        : { task: { ...task, ttl: null, pollInterval: pollMs } },
    ),
  )
}

/** The state of a task as JSON text. In the stateless era it contains the result. */
export function taskOf(found: OperationResult, era: Era, attempts: readonly Attempt[]): string {
  const { operation } = found
  const task = {
    taskId: operation.id,
    ...statusOf(found, attempts),
    createdAt: timeToJson(operation.createdAt),
    lastUpdatedAt: timeToJson(changedAt(operation)),
  }
  if (era === 'session') return JSON.stringify({ ...task, ttl: null, pollInterval: POLL_LEAST_MS * 5 })
  return JSON.stringify({
    resultType: 'complete',
    ...task,
    ttlMs: null,
    pollIntervalMs: POLL_LEAST_MS * 5,
    ...(found.state === 'succeeded' ? { result: found.value } : {}),
    ...(found.state === 'dead' ? { error: deadTask(found.error.operation, attempts) } : {}),
  })
}

/** The error of a task that ended without a result; it says whether the call may have happened. */
export function deadTask(operation: DeadOperation, attempts: readonly Attempt[]): RpcError {
  return { code: -32000, message: endInWords(operation, attempts) }
}

function statusOf(
  found: OperationResult,
  attempts: readonly Attempt[],
): { status: string; statusMessage?: string } {
  switch (found.state) {
    case 'succeeded':
      return { status: 'completed' }
    case 'dead':
      return {
        status:
          found.operation.state === 'dead' && found.operation.deadAs === 'cancelled' ? 'cancelled' : 'failed',
        statusMessage: endInWords(found.error.operation, attempts),
      }
    case 'pending': {
      const { operation } = found
      const reason =
        operation.state === 'parked' ? `waits for ${PARKED_FOR[operation.parkedFor]}` : operation.reason
      return { status: 'working', ...present({ statusMessage: reason }) }
    }
  }
}

function changedAt(operation: Operation): number {
  return 'endedAt' in operation && typeof operation.endedAt === 'number'
    ? operation.endedAt
    : operation.createdAt
}
