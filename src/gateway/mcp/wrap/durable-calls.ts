import { isOperationFailed } from '../../../queue/error.ts'
import type { Queue } from '../../../queue/queue.ts'
import { type HandedOver, isHandedOver } from '../../../queue/run-result.ts'
import { isObject, resultLine } from '../json-rpc.ts'
import { queuedAnswer } from './answers.ts'
import type { Deferral, DeferredCall } from './deferral.ts'
import { createdTask, declaresTasks } from './tasks.ts'

/** Name of the tool that gives the result of a call that was kept. */
export const RESULT_TOOL = 'mulligan_result'

/** What keeping calls needs. */
export interface DurableCallsDeps {
  /** Undefined if the ledger cannot be used. */
  queue: Promise<Queue | undefined>
  /** The session that wants to hear how calls end. Default none. */
  session?: string
  /** Whether the client has the tool that gives results. */
  hasResultTool: boolean
  /** Something that an operator should know, as one line. */
  note: (line: string) => void
}

/** Keeps calls in the ledger; whoever has the same server and login runs them. */
export class DurableCalls implements Deferral {
  readonly #deps: DurableCallsDeps

  constructor(deps: DurableCallsDeps) {
    this.#deps = deps
  }

  async defer(deferred: DeferredCall): Promise<Buffer | undefined> {
    const { note, session } = this.#deps
    const { capability, provider, call, failed } = deferred
    const queue = await this.#deps.queue
    if (!queue) return undefined
    try {
      const result = await queue.handOver(capability, call, failed, {
        provider,
        source: 'mcp',
        isReported: true,
        ...(session === undefined ? {} : { session }),
      })
      if (!isHandedOver(result)) return doneAnswer(deferred, result.value)
      return this.#told(deferred, result)
    } catch (error) {
      // That it may not be run again is the queue's answer; anything else must not cost the client its own.
      if (!isOperationFailed(error))
        note(`a call of ${call.tool} cannot be kept: ${(error as Error).message}`)
      return undefined
    }
  }

  #told({ message, era, call, failed }: DeferredCall, handedOver: HandedOver): Buffer {
    const { id, params } = message
    const decided = { failure: failed.failure, verdict: failed.verdict }
    const hint = this.#hint(call.tool, failed.failure.message, handedOver)
    if (declaresTasks(params, era)) return createdTask(id, era, handedOver, hint)
    return queuedAnswer(id, era, handedOver, hint, decided)
  }

  #hint(tool: string, why: string, { operationId, retryAt, parkedFor }: HandedOver): string {
    const when =
      retryAt === undefined
        ? parkedFor === undefined
          ? 'and runs again by itself'
          : `and waits for a ${parkedFor}`
        : `and runs again by itself at ${new Date(retryAt).toISOString()}`
    const result = this.#deps.hasResultTool
      ? `call ${RESULT_TOOL} with operation_id "${operationId}"`
      : `run: mulligan ops wait ${operationId}`
    return `Not done yet: ${why}. The call of ${tool} is queued ${when}. Go on with other work and do not call ${tool} again for this. For the result, later, ${result}.`
  }
}

/** It was found that the call had been carried out. */
function doneAnswer({ message, era }: DeferredCall, value: unknown): Buffer {
  const complete = era === 'stateless' ? { resultType: 'complete' } : {}
  return resultLine(message.id, JSON.stringify({ ...complete, ...(isObject(value) ? value : {}) }))
}
