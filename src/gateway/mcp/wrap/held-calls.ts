import { randomUUID } from 'node:crypto'
import { present } from '../../../failure/present.ts'
import { isObject, lineOf, type RequestId, resultLine } from '../json-rpc.ts'
import type { Request } from './translate.ts'

/** Methods whose result may be a question, in the stateless era. */
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Name of the one question that is asked at a time. */
const KEY = 'input'

/** How states begin that this process or an earlier one gave a client. */
const STATE_PREFIX = 'mulligan:'

/** Calls that wait for an answer of their client, at most. */
const MOST_HELD = 1_000

/** A call that goes on in the server while its client is asked something. */
class HeldCall {
  readonly answer: Promise<Buffer | undefined>
  hasEnded = false
  readonly #abort = new AbortController()
  /** Questions of the server that the client has not answered, the oldest first. */
  readonly #questions: Request[] = []
  #asked = Promise.withResolvers<void>()

  constructor(begin: (signal: AbortSignal) => Promise<Buffer | undefined>) {
    this.answer = begin(this.#abort.signal).finally(() => {
      this.hasEnded = true
    })
    // The client may come for the answer later.
    this.answer.catch(() => {})
  }

  ask(question: Request): void {
    this.#questions.push(question)
    this.#asked.resolve()
  }

  /** Takes the question that the client was asked; the next one is asked from now on. */
  taken(): Request | undefined {
    const question = this.#questions.shift()
    if (this.#questions.length === 0) this.#asked = Promise.withResolvers<void>()
    return question
  }

  /** The oldest question, as soon as there is one, as an answer to the client. */
  async question(id: RequestId, requestState: string): Promise<Buffer> {
    await this.#asked.promise
    const { method, params } = this.#questions[0] as Request
    const inputRequests = { [KEY]: { method, ...present({ params }) } }
    return resultLine(id, JSON.stringify({ resultType: 'input_required', inputRequests, requestState }))
  }

  /** The call is given up if the request is that carries it now. */
  endWith(signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#abort.abort(signal.reason), { once: true })
  }
}

/**
 * A session server asks its client by a request, in the middle of a call. A stateless client takes
 * no requests: its call is answered with the question, and goes on when the client sends it again with what was asked.
 */
export class HeldCalls {
  readonly #tell: (line: Buffer, id: RequestId) => void
  readonly #newState: () => string
  /** By the id of the request that carries it now, the oldest first. */
  readonly #open = new Map<RequestId, HeldCall>()
  /** By the state that the client sends with its answers; also calls that have ended, whose answer the client lacks. */
  readonly #held = new Map<string, HeldCall>()

  /**
   * @param tell answers a request of the server
   * @param newState default a random one, so that a state of an earlier process is not mistaken for one of this
   */
  constructor(
    tell: (line: Buffer, id: RequestId) => void,
    newState = () => `${STATE_PREFIX}${randomUUID()}`,
  ) {
    this.#tell = tell
    this.#newState = newState
  }

  /** The answer to a request of the client, or what the server asks before it. */
  async answered(
    message: Request,
    signal: AbortSignal,
    begin: (signal: AbortSignal) => Promise<Buffer | undefined>,
  ): Promise<Buffer | undefined> {
    const { id, method, params = {} } = message
    if (!MAY_ASK.has(method)) return begin(signal)
    const { requestState } = params
    const before = typeof requestState === 'string' ? this.#held.get(requestState) : undefined
    if (before) {
      this.#held.delete(requestState as string)
      this.#give(before.taken(), params.inputResponses)
    } else if (typeof requestState === 'string' && requestState.startsWith(STATE_PREFIX))
      // Starting it again could repeat its effect.
      return lostAnswer(id, method)
    const held = before ?? new HeldCall(begin)
    held.endWith(signal)
    this.#open.set(id, held)
    const state = this.#newState()
    try {
      const question = held.question(id, state).then(line => {
        this.#hold(state, held)
        return line
      })
      const answer = await Promise.race([held.answer, question])
      return answer && withId(answer, id)
    } finally {
      this.#open.delete(id)
    }
  }

  /** A call that ends while its client is asked stays, because the client has not had its answer. */
  #hold(state: string, held: HeldCall): void {
    if (held.hasEnded) return
    this.#held.set(state, held)
    const [oldest] = this.#held.keys()
    if (this.#held.size > MOST_HELD && oldest !== undefined) this.#held.delete(oldest)
  }

  /** The server asks something: it belongs to the call that has been open for the longest time. */
  ask(question: Request): void {
    const held = [...this.#open.values(), ...this.#held.values()].find(({ hasEnded }) => !hasEnded)
    if (held) {
      held.ask(question)
      return
    }
    const error = { code: -32601, message: 'the client cannot be asked anything now' }
    this.#tell(lineOf({ id: question.id, error }), question.id)
  }

  #give(question: Request | undefined, responses: unknown): void {
    if (!question) return
    const { id } = question
    const response = isObject(responses) ? responses[KEY] : undefined
    const said = isObject(response)
      ? { id, result: response }
      : { id, error: { code: -32603, message: 'the client gave no answer' } }
    this.#tell(lineOf(said), id)
  }
}

/** The answer to a client that continues a call of which nothing is known any more. */
function lostAnswer(id: RequestId, method: string): Buffer {
  const text =
    'The call that asked this was lost, because Mulligan or the server was restarted. It may have happened: check whether it did before you make it again.'
  if (method !== 'tools/call') return lineOf({ id, error: { code: -32603, message: text } })
  const result = { resultType: 'complete', content: [{ type: 'text', text }], isError: true }
  return resultLine(id, JSON.stringify(result))
}

/** A call that was sent again has another id than the one that the server answers. */
function withId(line: Buffer, id: RequestId): Buffer {
  const { id: given, ...rest } = JSON.parse(line.toString('utf8')) as { id: RequestId }
  return given === id ? line : lineOf({ ...rest, id })
}
