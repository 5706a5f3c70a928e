import type { Attempt } from '../../../ledger/attempt.ts'
import type { Queue } from '../../../queue/queue.ts'
import type { OperationResult } from '../../../queue/result.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { AskingAgain, waitMsOf } from '../asking-again.ts'
import type { Era } from '../era.ts'
import { isObject, lineOf, type RpcMessage, readMessage, resultLine } from '../json-rpc.ts'
import { elementsAt, replaced, spanOf } from '../json-text.ts'
import { QueuedCalls } from './queued-calls.ts'
import { listFor, notDone, RESULT_TOOL, resultFor } from './result-tool.ts'
import type { ServerSide } from './server-side.ts'
import { deadTask, taskOf } from './tasks.ts'
import type { Request } from './translate.ts'
import type { Client } from './upstream.ts'

/** Dependencies of {@link WithResults}. */
export interface ResultsDeps {
  /** Undefined if the ledger cannot be used. */
  queue: Promise<Queue | undefined>
  /** Capabilities whose operations this client may see: those of its own servers and logins. */
  capabilities: ReadonlySet<string>
  /** Whether clients get the extra tool. */
  hasTool: boolean
  time?: Time
}

/** A server whose client also gets the results of queued calls: as tasks, and through one extra tool. */
export class WithResults implements ServerSide {
  readonly #server: ServerSide
  readonly #deps: ResultsDeps
  readonly #calls: QueuedCalls
  readonly #time: Time
  readonly #again = new AskingAgain()
  #era: Era = 'session'
  /** Whether the server has a tool of the same name: another wrap behind this one. */
  #isShadowing = false

  constructor(server: ServerSide, deps: ResultsDeps) {
    this.#server = server
    this.#deps = deps
    this.#time = deps.time ?? realTime
    this.#calls = new QueuedCalls(deps.queue, deps.capabilities, this.#time)
  }

  meet(client: Client): void {
    this.#era = client.era
    this.#server.meet(client)
  }

  greet(client: Client): Promise<string> {
    this.#era = client.era
    return this.#server.greet(client)
  }

  async request(line: Buffer, message: Request, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id, method, params = {} } = message
    const { hasTool } = this.#deps
    if (method === 'tools/call' && params.name === RESULT_TOOL.name && hasTool) {
      const result = await this.#result(params.arguments, signal)
      if (result) return resultLine(id, JSON.stringify({ ...this.#complete, ...result }))
    }
    if (method.startsWith('tasks/') && typeof params.taskId === 'string') {
      const own = await this.#task(message, params.taskId, signal)
      if (own) return own
    }
    const answer = await this.#server.request(line, message, signal)
    return hasTool && method === 'tools/list' && answer ? this.#withTool(answer) : answer
  }

  tell(line: Buffer, message: RpcMessage): void {
    this.#server.tell(line, message)
  }

  flow(isOpen: boolean): void {
    this.#server.flow(isOpen)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  /** What our tool answers; undefined if the call is for the server's tool of the same name. */
  async #result(given: unknown, signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
    const { operation_id: id, wait_seconds: wait } = isObject(given) ? given : {}
    if (typeof id !== 'string' || id === '') return listFor(await this.#calls.list())
    const waitMs = waitMsOf(typeof wait === 'number' ? wait * 1_000 : undefined)
    const found = await this.#calls.find(id, waitMs, signal)
    if (found)
      return resultFor(found, await this.#attempts(found), dueAt =>
        this.#again.next(id, dueAt, this.#time.now(), again => {
          const call = { operation_id: id, wait_seconds: again / 1_000 }
          return `${RESULT_TOOL.name} with ${JSON.stringify(call)}`
        }),
      )
    if (this.#isShadowing) return undefined
    return notDone(`There is no queued call ${JSON.stringify(id)} of this server.`)
  }

  /** The task if it is Mulligan's; undefined if it is the server's own. */
  async #task(message: Request, taskId: string, signal: AbortSignal): Promise<Buffer | undefined> {
    const { id, method } = message
    const found = await this.#calls.find(taskId, method === 'tasks/result' ? Infinity : 0, signal)
    if (!found) return undefined
    switch (method) {
      case 'tasks/get':
        return resultLine(id, await this.#taskOf(found))
      case 'tasks/result':
        if (found.state === 'dead')
          return lineOf({ id, error: deadTask(found.error.operation, await this.#attempts(found)) })
        return resultLine(id, JSON.stringify(found.state === 'succeeded' ? found.value : {}))
      case 'tasks/cancel': {
        const queue = await this.#deps.queue
        await queue?.cancel(taskId)
        const after = await this.#calls.find(taskId, 0, signal)
        return resultLine(
          id,
          this.#era === 'stateless' ? '{"resultType":"complete"}' : await this.#taskOf(after ?? found),
        )
      }
      default:
        return resultLine(id, JSON.stringify(this.#complete))
    }
  }

  /** Tries of a dead or parked call; of any other they do not matter. */
  async #attempts({ operation }: OperationResult): Promise<readonly Attempt[]> {
    const { state } = operation
    const queue = state === 'dead' || state === 'parked' ? await this.#deps.queue : undefined
    return queue ? queue.ledger.attempts(operation.id) : []
  }

  async #taskOf(found: OperationResult): Promise<string> {
    return taskOf(found, this.#era, await this.#attempts(found))
  }

  get #complete(): Record<string, unknown> {
    return this.#era === 'stateless' ? { resultType: 'complete' } : {}
  }

  /**
   * The list with our tool at its end, and without one of the server's that has the same name; the rest stays unchanged,
   * byte for byte.
   */
  #withTool(answer: Buffer): Buffer {
    const text = answer.toString('utf8').trimEnd()
    const message = readMessage(text)
    const span = spanOf(text, ['result', 'tools'])
    if (message.type !== 'response' || !message.result || !span || text[span.start] !== '[') return answer
    const tools = elementsAt(text, span.start).map(({ start, end }) => text.slice(start, end))
    const others = tools.filter(tool => nameOf(tool) !== RESULT_TOOL.name)
    this.#isShadowing ||= others.length < tools.length
    const isLast = message.result.nextCursor === undefined
    if (!isLast && others.length === tools.length) return answer
    const by = [...others, ...(isLast ? [JSON.stringify(RESULT_TOOL)] : [])].join(',')
    return Buffer.from(`${replaced(text, [{ ...span, by: `[${by}]` }])}\n`)
  }
}

/** As a client reads it: of a name that is written twice, the last one counts. */
function nameOf(tool: string): unknown {
  return (JSON.parse(tool) as { name?: unknown } | null)?.name
}
