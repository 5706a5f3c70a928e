import { isObject, lineOf, type RequestId, resultLine } from '../json-rpc.ts'
import type { Request } from './server-side.ts'

/** A call that goes on in the server while its client is asked something. */
interface Held {
  answer: Promise<Buffer | undefined>
  ask: Promise<Buffer>
  /** The next question of the server. */
  asked(question: Buffer): void
  /** The request of the server that waits for its answer. */
  question?: { id: RequestId; key: string }
}

/** Methods whose result may be a question, in the stateless era. */
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read'])

/**
 * A server of the era of sessions asks its client by a request, in the middle of a call. A client of the stateless era takes
 * no requests: its call is answered with the question, and goes on when the client sends it again with what was asked.
 */
export class HeldCalls {
  readonly #tell: (line: Buffer, id: RequestId) => void
  readonly #open = new Map<RequestId, Held>()
  readonly #held = new Map<string, Held>()
  #states = 0

  /** @param tell answers a request of the server */
  constructor(tell: (line: Buffer, id: RequestId) => void) {
    this.#tell = tell
  }

  /** The answer to a request of the client, or what the server asks before it. */
  async answered(message: Request, begin: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const { id, method, params = {} } = message
    if (!MAY_ASK.has(method)) return begin()
    const state = typeof params.requestState === 'string' ? params.requestState : ''
    const before = this.#held.get(state)
    if (before) {
      this.#held.delete(state)
      this.#give(before, params.inputResponses)
    }
    const held = before ? this.#again(before) : this.#new(begin())
    this.#open.set(id, held)
    try {
      const question = held.ask.then(line => withState(line, id, this.#keep(held)))
      const answer = await Promise.race([held.answer, question])
      return answer && withId(answer, id)
    } finally {
      this.#open.delete(id)
    }
  }

  /** The server asks something: it belongs to the call that has been open for the longest time. */
  ask(question: Request): void {
    const [held] = this.#open.values()
    if (!held) {
      const error = { code: -32601, message: 'the client cannot be asked anything now' }
      this.#tell(lineOf({ id: question.id, error }), question.id)
      return
    }
    const { id, method, params } = question
    held.question = { id, key: 'input' }
    const asked = { input: { method, ...(params === undefined ? {} : { params }) } }
    held.asked(resultLine(0, JSON.stringify({ resultType: 'input_required', inputRequests: asked })))
  }

  #new(answer: Promise<Buffer | undefined>): Held {
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    return { answer, ask: promise, asked: resolve }
  }

  #again({ answer }: Held): Held {
    return this.#new(answer)
  }

  #keep(held: Held): string {
    const state = `mulligan:${++this.#states}`
    this.#held.set(state, held)
    return state
  }

  #give({ question }: Held, responses: unknown): void {
    if (!question) return
    const { id, key } = question
    const response = isObject(responses) ? responses[key] : undefined
    const said = isObject(response)
      ? { id, result: response }
      : { id, error: { code: -32603, message: 'the client gave no answer' } }
    this.#tell(lineOf(said), id)
  }
}

function withState(line: Buffer, id: RequestId, requestState: string): Buffer {
  const { result } = JSON.parse(line.toString('utf8')) as { result: object }
  return resultLine(id, JSON.stringify({ ...result, requestState }))
}

/** A call that was sent again has another id than the one that the server answers. */
function withId(line: Buffer, id: RequestId): Buffer {
  const { id: given, ...rest } = JSON.parse(line.toString('utf8')) as { id: RequestId }
  return given === id ? line : lineOf({ ...rest, id })
}
