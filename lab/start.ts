import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { namesOf, remedyFor, unknownName } from '../src/option/check-names.ts'
import { realTime, type Time } from '../src/time/time.ts'
import { hasToken } from './access.ts'
import { answerOf } from './answer/answer.ts'
import type { Answer } from './answer/shape.ts'
import { CONTROL_PATH, control } from './control.ts'
import type { Facts } from './facts.ts'
import { faultReply, plainRefusal } from './fault/apply.ts'
import { type FaultName, LabError } from './fault/table.ts'
import { Journal } from './journal.ts'
import {
  ANSWER_DEFAULT,
  KEEP_DEFAULT,
  type Lab,
  type LabOptions,
  SLOW_DEFAULT_MS,
  WAIT_DEFAULT_MS,
} from './lab.ts'
import { Plan } from './plan/plan.ts'
import { checkStep, type FaultStep } from './plan/step.ts'
import { type LabRecord, recordOf } from './record.ts'
import { jsonReply, type Reply } from './reply.ts'
import { type LabRequest, readRequest } from './request.ts'
import { send } from './send.ts'
import { sideAnswer } from './side-answers.ts'

/** Starts a stand-in for model APIs that fails on command. Listens only on 127.0.0.1. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const unknown = unknownName(options, NAMES)
  if (unknown !== undefined)
    throw new LabError(`startLab: unknown option ${unknown}${remedyFor(unknown, NAMES)}`)
  const lab = new RunningLab(options)
  await lab.listen(options.port ?? 0)
  return lab
}

const NAMES = namesOf<LabOptions>({
  port: true,
  token: true,
  answer: true,
  script: true,
  chance: true,
  waitMs: true,
  slowMs: true,
  keep: true,
  time: true,
})

/** Agents send whole conversations with every turn; no vendor accepts more than this. */
const LARGEST_BODY = 64 * 1024 * 1024

class RunningLab implements Lab {
  readonly token: string | undefined
  readonly #options: LabOptions
  readonly #time: Time
  readonly #script: readonly FaultStep[]
  readonly #journal: Journal
  readonly #closing = new AbortController()
  readonly #server: Server
  #plan: Plan
  #count = 0
  #port = 0

  constructor(options: LabOptions) {
    this.#options = options
    this.token = options.token
    this.#time = options.time ?? realTime
    this.#script = stepsOf(options.script ?? [], 'always')
    this.#plan = new Plan(this.#script, options.chance)
    this.#journal = new Journal(options.keep ?? KEEP_DEFAULT)
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', error => reject(listenError(error, port)))
      this.#server.listen(port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port
        resolve()
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get openaiUrl(): string {
    return `${this.url}/v1`
  }

  get requests(): readonly LabRecord[] {
    return this.#journal.records
  }

  get version(): number {
    return this.#journal.version
  }

  get steps(): readonly FaultStep[] {
    return this.#plan.steps
  }

  inject(steps: FaultName | FaultStep | readonly FaultStep[]): void {
    this.#plan.add(stepsOf(steps, 1))
    this.#journal.touch()
  }

  clear(): void {
    this.#plan.clear()
    this.#journal.touch()
  }

  reset(): void {
    this.#plan = new Plan(this.#script, this.#options.chance)
    this.#journal.clear()
    this.#count = 0
  }

  onRequest(listener: (record: LabRecord) => void): () => void {
    return this.#journal.listen(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (!this.#server.listening) return
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request)
    if (text === undefined) {
      response.destroy()
      return
    }
    const path = request.url ?? '/'
    const options = {
      time: this.#time,
      slowMs: this.#options.slowMs ?? SLOW_DEFAULT_MS,
      signal: this.#closing.signal,
    }
    if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`) || path.startsWith(`${CONTROL_PATH}?`)) {
      await send(response, control(this, request, text), options)
      return
    }
    const asked = readRequest(++this.#count, {
      method: request.method ?? 'GET',
      path,
      headers: request.headers,
      text,
    })
    const { reply, fault } = this.#answerOrFault(asked)
    const record = recordOf(asked, reply, fault, this.#time.now())
    const begunAt = this.#time.monotonic()
    this.#journal.begin(record)
    const sent = await send(response, reply, options)
    this.#journal.end(record, { sent, durationMs: Math.round(this.#time.monotonic() - begunAt) })
  }

  /** The caller's own function supplies the model's answer, and may throw. */
  #answerOrFault(request: LabRequest): { reply: Reply; fault?: FaultName } {
    try {
      return this.#answer(request)
    } catch (error) {
      const message = `the lab's answer function threw: ${error instanceof Error ? error.message : String(error)}`
      return { reply: jsonReply(500, { error: { type: 'lab_error', message } }) }
    }
  }

  #answer(request: LabRequest): { reply: Reply; fault?: FaultName } {
    const { token, answer = ANSWER_DEFAULT, waitMs = WAIT_DEFAULT_MS } = this.#options
    const facts: Facts = { request, now: this.#time.now(), waitMs }
    if (token !== undefined && !hasToken(request.headers, request.path, token))
      return { reply: plainRefusal(facts, 'auth'), fault: 'auth' }
    const step = this.#plan.next(request)
    const struck: Facts =
      step?.waitMs === undefined ? facts : { ...facts, waitMs: step.waitMs, windowMs: step.waitMs }
    if (request.wants.what !== 'answer')
      return step === undefined
        ? { reply: sideAnswer(facts) }
        : { reply: plainRefusal(struck, step.fault), fault: step.fault }
    const said = typeof answer === 'string' ? answer : answer(request)
    const whole: Answer = typeof said === 'string' ? { ends: 'stop', text: said } : said
    return step === undefined
      ? { reply: answerOf(facts, whole) }
      : { reply: faultReply(struck, step, whole.text), fault: step.fault }
  }
}

function stepsOf(
  steps: FaultName | FaultStep | readonly FaultStep[],
  times: number | 'always',
): readonly FaultStep[] {
  if (typeof steps === 'string') return [checkStep({ fault: steps, times })]
  return (Array.isArray(steps) ? (steps as readonly FaultStep[]) : [steps as FaultStep]).map(checkStep)
}

/** The whole body; undefined if the caller left early or sent more than any vendor accepts. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LARGEST_BODY) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}

function listenError(error: Error & { code?: string }, port: number): LabError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken; choose another, or 0 for any free one`,
    EACCES: `this user may not use port ${port}; choose one above 1023, or 0 for any free one`,
  }
  return new LabError(reasons[error.code ?? ''] ?? `cannot listen on port ${port}: ${error.message}`)
}
