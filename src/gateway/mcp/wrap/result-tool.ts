import { mayRunAgain } from '../../../capability/retry-policy.ts'
import type { Attempt } from '../../../ledger/attempt.ts'
import type { DeadOperation, ParkedOperation } from '../../../ledger/operation.ts'
import type { OperationResult } from '../../../queue/result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import type { ParkReason } from '../../../verdict/verdict.ts'
import { isObject } from '../json-rpc.ts'
import { mayHaveHappened } from './answers.ts'

/** Longest time the tool waits for a result, in seconds: shorter than any client waits for a tool. */
export const LONGEST_WAIT_S = 25

/** The tool that returns results of queued calls. */
export const RESULT_TOOL = {
  name: 'mulligan_result',
  title: 'Result of a queued call',
  description:
    'Returns the result of a tool call that was queued for retry (its answer had an operation_id), or says that it is not done yet.',
  inputSchema: {
    type: 'object',
    properties: {
      operation_id: { type: 'string', description: 'The operation_id of the queued call.' },
      wait_seconds: {
        type: 'number',
        minimum: 0,
        maximum: LONGEST_WAIT_S,
        description: `Wait up to this many seconds for the result, at most ${LONGEST_WAIT_S}. Default 0.`,
      },
    },
    required: ['operation_id'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/**
 * What the tool answers about a queued call, as a tool result.
 * @param attempts all tries of the call, which tell whether it may have happened
 */
export function resultFor(found: OperationResult, attempts: readonly Attempt[]): Record<string, unknown> {
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
      if (operation.state === 'parked')
        return notDone(parkedInWords(operation), {
          operation_id: id,
          queued_for_retry: true,
          parked_for: operation.parkedFor,
        })
      const at = operation.state === 'scheduled' ? timeToJson(operation.dueAt) : undefined
      const when = at === undefined ? 'it is running or waiting' : `it runs at ${at}`
      // The reason counts its wait from when it was written; beside an exact time, the failure is clearer.
      const known = at === undefined ? operation.reason : (operation.failure?.message ?? operation.reason)
      const why = known === undefined ? '' : ` (${known})`
      return notDone(`Not done yet: ${when}${why}. Continue with other work and ask again later.`, {
        operation_id: id,
        queued_for_retry: true,
        ...(at === undefined ? {} : { retry_at: at }),
      })
    }
  }
}

/** A tool result that tells a model about a call without a result. */
export function notDone(text: string, meta?: Record<string, unknown>): Record<string, unknown> {
  return { content: [{ type: 'text', text }], isError: true, ...(meta ? { _meta: meta } : {}) }
}

/** How a queued call ended without a result, and whether it may have happened. */
export function endInWords(
  { params, failure, reason, deadAs }: DeadOperation,
  attempts: readonly Attempt[],
): string {
  const tool = isObject(params) && typeof params.tool === 'string' ? params.tool : 'the tool'
  const why = [failure?.message, ...(deadAs === 'unverifiable' ? [] : [reason])].filter(Boolean).join('; ')
  const ended = deadAs === 'cancelled' ? 'was cancelled' : `ended without a result: ${why}`
  const isUndone = deadAs !== 'unverifiable' && mayRunAgain({ retry: 'none' }, attempts)
  return `The queued call of ${tool} ${ended}. ${isUndone ? 'It was not carried out.' : mayHaveHappened(tool)}`
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

function parkedInWords({ id, parkedFor, failure, reason }: ParkedOperation): string {
  const why = failure?.message ?? reason
  return `Not done yet: it waits for ${PARKED_FOR[parkedFor]}${why === undefined ? '' : ` (${why})`}. Tell the user ("mulligan ops show ${id}" has the details) and continue with other work.`
}
