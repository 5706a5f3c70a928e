import { mayRunAgain } from '../../../capability/retry-policy.ts'
import { present } from '../../../failure/present.ts'
import type { Attempt } from '../../../ledger/attempt.ts'
import type { DeadOperation, Operation, ParkedOperation } from '../../../ledger/operation.ts'
import { isProviderNeed, nextStepOf, refuserOf } from '../../../provider/next-step.ts'
import type { OperationResult } from '../../../queue/result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import type { ParkReason } from '../../../verdict/verdict.ts'
import { type AskAgain, WAIT_MS } from '../asking-again.ts'
import { isObject } from '../json-rpc.ts'
import { mayHaveHappened } from './answers.ts'

/** The tool that returns results of queued calls. */
export const RESULT_TOOL = {
  name: 'mulligan_result',
  title: 'Result of a queued call',
  description:
    'Waits for the result of a tool call that was queued for retry (its answer had an operation_id), and returns it, or says when to ask again. Without operation_id: lists the queued calls, also those of earlier sessions.',
  inputSchema: {
    type: 'object',
    properties: {
      operation_id: {
        type: 'string',
        description: 'The operation_id of the queued call. Default: list them.',
      },
      wait_seconds: {
        type: 'number',
        description: `How long to wait for the result, at most ${WAIT_MS / 1_000} seconds, which is the default.`,
      },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/**
 * What the tool answers about a queued call, as a tool result.
 * @param attempts all tries of the call, which tell whether it may have happened
 * @param again says when and how to ask again, if it is due then
 */
export function resultFor(
  found: OperationResult,
  attempts: readonly Attempt[],
  again: (dueAt: number | undefined) => AskAgain,
): Record<string, unknown> {
  const { operation } = found
  const { id } = operation
  switch (found.state) {
    case 'succeeded':
      return isObject(found.value) ? found.value : {}
    case 'dead':
      return notDone(endInWords(found.error.operation, attempts), {
        operation_id: id,
        queued_for_retry: false,
      })
    case 'pending': {
      // Not an error: clients show those as failed, and models then call the tool itself again.
      if (operation.state === 'parked')
        return waiting(parkedInWords(operation, attempts), {
          operation_id: id,
          queued_for_retry: true,
          parked_for: operation.parkedFor,
        })
      const dueAt = operation.state === 'scheduled' ? operation.dueAt : undefined
      const at = dueAt === undefined ? undefined : timeToJson(dueAt)
      const when = at === undefined ? 'it is running or waiting' : `it runs at ${at}`
      // The reason counts its wait from when it was written; beside an exact time, the failure is clearer.
      const known = at === undefined ? operation.reason : (operation.failure?.message ?? operation.reason)
      const why = known === undefined ? '' : ` (${known})`
      const { at: askAt, sentence } = again(dueAt)
      return waiting(`Not done yet: ${when}${why}. ${sentence}`, {
        operation_id: id,
        queued_for_retry: true,
        ...present({ retry_at: at }),
        ask_again_at: timeToJson(askAt),
      })
    }
  }
}

function waiting(text: string, meta: Record<string, unknown>): Record<string, unknown> {
  return { content: [{ type: 'text', text }], _meta: meta }
}

/** A tool result that tells a model about a call that will have no result. */
export function notDone(text: string, meta?: Record<string, unknown>): Record<string, unknown> {
  return { content: [{ type: 'text', text }], isError: true, ...(meta ? { _meta: meta } : {}) }
}

/** How a queued call ended without a result, and whether it may have happened. */
export function endInWords(
  { params, failure, reason, deadAs }: DeadOperation,
  attempts: readonly Attempt[],
): string {
  const tool = toolOf({ params })
  const why = [failure?.message, ...(deadAs === 'unverifiable' ? [] : [reason])].filter(Boolean).join('; ')
  const ended = deadAs === 'cancelled' ? 'was cancelled' : `ended without a result: ${why}`
  const isUndone = deadAs !== 'unverifiable' && mayRunAgain({ retry: 'none' }, attempts)
  return `The queued call of ${tool} ${ended}. ${isUndone ? 'It was not carried out.' : mayHaveHappened(tool)}`
}

/** The tool that a queued call calls. */
export function toolOf({ params }: { params: unknown }): string {
  return isObject(params) && typeof params.tool === 'string' ? params.tool : 'the tool'
}

/** What the tool answers without an id: which calls there are. */
export function listFor(calls: readonly Operation[]): Record<string, unknown> {
  if (calls.length === 0)
    return { content: [{ type: 'text', text: 'There are no queued calls of this server.' }] }
  const lines = calls.map(call => `${call.id}: ${toolOf(call)}, ${stateInWords(call)}`)
  const text = `Queued calls, newest first; for a result, call ${RESULT_TOOL.name} with its operation_id:\n${lines.join('\n')}`
  return { content: [{ type: 'text', text }] }
}

function stateInWords(call: Operation): string {
  switch (call.state) {
    case 'succeeded':
      return `done at ${timeToJson(call.updatedAt)}`
    case 'dead':
      return `ended without a result at ${timeToJson(call.updatedAt)}`
    case 'parked':
      return `waits for ${PARKED_FOR[call.parkedFor]}`
    case 'running':
      return 'is running'
    case 'scheduled':
      return `runs at ${timeToJson(call.dueAt)}`
  }
}

/** What a call waits for that no time brings. */
export const PARKED_FOR: Readonly<Record<ParkReason, string>> = {
  label: 'a person who says what its failure means',
  login: 'a person who logs in',
  payment: 'a person who pays',
  runner: 'a process that can run it',
  secret: 'a missing key',
  parameters: 'a person who corrects its parameters',
}

function parkedInWords(operation: ParkedOperation, attempts: readonly Attempt[]): string {
  const { id, parkedFor, failure, reason } = operation
  const why = failure?.message ?? reason
  const step = isProviderNeed(parkedFor)
    ? `: "${nextStepOf(parkedFor, operation, refuserOf(parkedFor, attempts))}"`
    : ''
  return `Not done yet: it waits for ${PARKED_FOR[parkedFor]}${why === undefined ? '' : ` (${why})`}. Tell the user${step} ("mulligan ops show ${id}" has the details) and continue with other work.`
}
