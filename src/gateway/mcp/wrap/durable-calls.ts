import { present } from '../../../failure/present.ts'
import { isOperationFailed } from '../../../queue/error.ts'
import type { Queue } from '../../../queue/queue.ts'
import { type HandedOver, isHandedOver } from '../../../queue/run-result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { isObject, resultLine } from '../json-rpc.ts'
import { queuedAnswer } from './answers.ts'
import type { Deferral, DeferredCall } from './deferral.ts'
import { PARKED_FOR, RESULT_TOOL } from './result-tool.ts'
import { createdTask, declaresTasks } from './tasks.ts'

/** Dependencies of {@link DurableCalls}. */
export interface DurableCallsDeps {
  /** Undefined if the ledger cannot be used. */
  queue: Promise<Queue | undefined>
  /** The session to notify when calls end; undefined for none. */
  session: () => string | undefined
  /** Whether the client has the tool that returns results. */
  hasResultTool: boolean
  /** Reports one line to the operator. */
  note: (line: string) => void
}

/** Stores calls in the ledger; any process with the same server and login runs them. */
export class DurableCalls implements Deferral {
  readonly #deps: DurableCallsDeps

  constructor(deps: DurableCallsDeps) {
    this.#deps = deps
  }

  async defer(deferred: DeferredCall, signal: AbortSignal): Promise<Buffer | undefined> {
    const { note } = this.#deps
    const session = this.#deps.session()
    const { capability, provider, call, failed } = deferred
    const queue = await this.#deps.queue
    if (!queue) return undefined
    try {
      const result = await queue.handOver(capability, call, failed, {
        provider,
        source: 'mcp',
        isReported: true,
        ...present({ session }),
      })
      if (!isHandedOver(result)) return doneAnswer(deferred, result.value)
      if (signal.aborted) await queue.cancel(result.operationId)
      return this.#told(deferred, result)
    } catch (error) {
      // The queue may refuse to run it again; any other error must not cost the client its answer.
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

  #hint(tool: string, why: string, { operationId, retryAt, parkedFor, nextStep }: HandedOver): string {
    const when =
      retryAt === undefined
        ? parkedFor === undefined
          ? 'and runs again automatically'
          : `and waits for ${PARKED_FOR[parkedFor]}: tell the user${nextStep === undefined ? '' : ` "${nextStep}"`}`
        : `and runs again automatically at ${timeToJson(retryAt)}`
    const result = this.#deps.hasResultTool
      ? `call ${RESULT_TOOL.name} with operation_id "${operationId}"`
      : `run: mulligan ops wait ${operationId}`
    return `Not done yet: ${why}. The call of ${tool} is queued ${when}. Continue with other work and do not call ${tool} again for this. To get the result later, ${result}.`
  }
}

/** The answer to a call that turned out to have been carried out. */
function doneAnswer({ message, era }: DeferredCall, value: unknown): Buffer {
  const complete = era === 'stateless' ? { resultType: 'complete' } : {}
  return resultLine(message.id, JSON.stringify({ ...complete, ...(isObject(value) ? value : {}) }))
}
