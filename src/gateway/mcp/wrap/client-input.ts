import { present } from '../../../failure/present.ts'
import { isObject, lineOf, type RequestId, type RpcMessage } from '../json-rpc.ts'

/** Rounds of questions that one call may have. */
const MOST_ROUNDS = 10

/**
 * A stateless server asks by an `input_required` result; a session client is asked by a request.
 * This asks the client, and gives the server what it wants to know.
 */
export class ClientInput {
  readonly #toClient: (line: Buffer) => void
  readonly #waiting = new Map<RequestId, (response: Extract<RpcMessage, { type: 'response' }>) => void>()
  #ids = 0

  constructor(toClient: (line: Buffer) => void) {
    this.#toClient = toClient
  }

  /** Takes an answer of the client; false if it is none of ours. */
  take(message: RpcMessage): boolean {
    const resolve = message.type === 'response' ? this.#waiting.get(message.id) : undefined
    if (!resolve || message.type !== 'response') return false
    this.#waiting.delete(message.id)
    resolve(message)
    return true
  }

  /** Asks everything that a result wants to know. Gives what goes with the next try of the same call. */
  async answersTo(
    result: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { inputRequests, requestState } = result
    const asked = Object.entries(isObject(inputRequests) ? inputRequests : {})
    const responses: Record<string, unknown> = {}
    for (const [key, request] of asked)
      if (isObject(request)) responses[key] = await this.#ask(String(request.method), request.params, signal)
    return {
      ...(asked.length === 0 ? {} : { inputResponses: responses }),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    }
  }

  async #ask(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const id = `mulligan:ask:${++this.#ids}`
    const answer = new Promise<Extract<RpcMessage, { type: 'response' }>>((resolve, reject) => {
      this.#waiting.set(id, resolve)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    this.#toClient(lineOf({ id, method, ...present({ params }) }))
    const { result, error } = await answer
    if (result) return result
    // A client that will not or cannot answer has declined, as far as the server is concerned.
    return method === 'elicitation/create' ? { action: 'decline' } : { error }
  }
}

/** Whether a server wants to know more before it goes on, and may still ask. */
export function wantsInput(result: unknown, rounds: number): result is Readonly<Record<string, unknown>> {
  return isObject(result) && result.resultType === 'input_required' && rounds < MOST_ROUNDS
}
