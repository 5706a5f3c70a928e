import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// Not part of the public test kit: stands in for the vendors of surfaces, on loopback.

/** How the stub treats a message: accepts it, refuses it, or fails as networks do. */
export type StubFault = 'ok' | '429' | '500' | '401' | 'reset' | 'hang' | 'redirect' | 'taken_then_reset'

/** A message that arrived. */
export interface Arrived {
  kind: string
  /** As received. */
  text: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface StubIssue {
  number: number
  tracker: 'github' | 'gitea'
  title: string
  body: string
  state: 'open' | 'closed'
  html_url: string
  comments: { body: string }[]
}

/** Acts as Telegram, Slack, Discord, GitHub, Gitea, Obsidian or a webhook, depending on the requested path. */
export class SurfaceStub {
  readonly arrived: Arrived[] = []
  /** Paths of all requests, including failed ones. */
  readonly asked: string[] = []
  readonly issues: StubIssue[] = []
  /** Notes of the vault by path. */
  readonly notes = new Map<string, string>()
  /** Faults of the next requests that send a message, in order. */
  faults: StubFault[] = []
  /** Chooses the fault once `faults` is used up. Default: every message is accepted. */
  chooseFault: () => StubFault = () => 'ok'
  /** Called for each request that sends a message, before its fault takes effect. */
  onRequest: () => void = () => {}
  /** Messages that were changed after they arrived, as they are now. */
  readonly edited: { kind: string; reference: string; text: string; blocks?: unknown }[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<SurfaceStub> {
    const server = createServer((request, response) => void stub.#serve(request, response))
    const stub = new SurfaceStub(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return stub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** Texts of one kind. */
  texts(kind: string): string[] {
    return this.arrived.filter(message => message.kind === kind).map(({ text }) => text)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const body = Buffer.concat(chunks).toString('utf8')
    const path = decodeURIComponent((request.url ?? '').split('?')[0] as string)
    this.asked.push(path)
    if (request.method === 'GET') {
      const page = Number(new URLSearchParams((request.url ?? '').split('?')[1]).get('page') ?? 1)
      this.#read(path, page, response)
      return
    }
    this.onRequest()
    const fault = this.faults.shift() ?? this.chooseFault()
    switch (fault) {
      case 'hang':
        return
      case 'reset':
        request.socket.destroy()
        return
      case 'redirect':
        answer(response, 302, {}, { location: `${this.url}/elsewhere` })
        return
      case '429':
        answer(response, 429, ...limitOf(path))
        return
      case '500':
        answer(response, 500, { message: 'Internal Server Error' })
        return
      case '401':
        answer(response, 401, { message: 'Bad credentials' })
        return
    }
    const taken = this.#change(path, body, request.method) ?? this.#take(path, body, request)
    if (fault === 'taken_then_reset') request.socket.destroy()
    else answer(response, taken === undefined ? 404 : 200, taken ?? { message: 'Not Found' })
  }

  #tracker(path: string): 'github' | 'gitea' {
    return path.startsWith('/api/v1/') ? 'gitea' : 'github'
  }

  #read(path: string, page: number, response: ServerResponse): void {
    const note = /^\/vault\/(.+)$/.exec(path)?.[1]
    const comments = /\/issues\/(\d+)\/comments$/.exec(path)?.[1]
    if (note !== undefined) {
      const text = this.notes.get(note)
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/markdown' })
      response.end(text ?? 'File does not exist')
    } else if (comments !== undefined) answer(response, 200, this.#issue(comments)?.comments ?? [])
    else if (path.endsWith('/issues')) {
      // GitHub sends at most 100 issues per page, Gitea 50.
      const own = this.issues.filter(({ tracker }) => tracker === this.#tracker(path)).toReversed()
      const size = this.#tracker(path) === 'gitea' ? 50 : 100
      answer(response, 200, own.slice((page - 1) * size, page * size))
    } else answer(response, 404, { message: 'Not Found' })
  }

  /** A change of what arrived before; undefined if the request is none. */
  #change(path: string, body: string, method: string | undefined): unknown {
    const change = (kind: string, reference: string, text: string, more: { blocks?: unknown } = {}) => {
      this.edited.push({ kind, reference, text, ...more })
      return { ok: true, ts: reference }
    }
    if (path.endsWith('/editMessageText')) {
      const { message_id: id, text } = JSON.parse(body)
      return change('telegram', String(id), text)
    }
    if (path === '/chat.update') {
      const { ts, text, blocks } = JSON.parse(body)
      return change('slack', ts, text, blocks ? { blocks } : {})
    }
    const note = /^\/vault\/(.+)$/.exec(path)?.[1]
    if (method === 'PUT' && note !== undefined) {
      this.notes.set(note, body)
      return change('obsidian', note, body)
    }
    if (method !== 'PATCH') return undefined
    const message = /^\/discord\/messages\/(.+)$/.exec(path)?.[1]
    if (message !== undefined) return change('discord', message, JSON.parse(body).content)
    const issue = this.#issue(/\/issues\/(\d+)$/.exec(path)?.[1] ?? '')
    if (!issue) return undefined
    Object.assign(issue, JSON.parse(body))
    return change(issue.tracker, String(issue.number), `${issue.state}: ${issue.comments.at(-1)?.body}`)
  }

  #take(path: string, body: string, { headers }: IncomingMessage): unknown {
    const arrive = (kind: string, text: string) => this.arrived.push({ kind, text, headers, body })
    if (path.endsWith('/sendMessage')) {
      return { ok: true, result: { message_id: arrive('telegram', JSON.parse(body).text) } }
    }
    if (path === '/chat.postMessage') return { ok: true, ts: `${arrive('slack', JSON.parse(body).text)}.0` }
    if (path === '/slack') return { ok: arrive('slack', JSON.parse(body).text) > 0 }
    if (path === '/discord') return { id: String(arrive('discord', JSON.parse(body).content)) }
    if (path === '/hook') return { got: arrive('webhook', body) }
    const note = /^\/vault\/(.+)$/.exec(path)?.[1]
    if (note !== undefined) {
      this.notes.set(note, (this.notes.get(note) ?? '') + body)
      return { appended: arrive('obsidian', body) }
    }
    const tracker = this.#tracker(path)
    const comment = /\/issues\/(\d+)\/comments$/.exec(path)?.[1]
    if (comment !== undefined) {
      const made = { body: JSON.parse(body).body as string }
      this.#issue(comment)?.comments.push(made)
      arrive(tracker, made.body)
      return made
    }
    if (!path.endsWith('/issues')) return undefined
    const number = this.issues.length + 1
    const issue: StubIssue = {
      ...(JSON.parse(body) as { title: string; body: string }),
      number,
      tracker,
      state: 'open',
      html_url: `${this.url}/issues/${number}`,
      comments: [],
    }
    this.issues.push(issue)
    arrive(tracker, `${issue.title}\n${issue.body}`)
    return issue
  }

  #issue(number: string): StubIssue | undefined {
    return this.issues.find(issue => issue.number === Number(number))
  }
}

/** Each vendor's answer to too many requests. */
function limitOf(path: string): [Record<string, unknown>, Record<string, string>?] {
  if (path.endsWith('/sendMessage'))
    return [
      {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 1',
        parameters: { retry_after: 1 },
      },
    ]
  if (path === '/discord')
    return [
      { message: 'You are being rate limited.', retry_after: 0.5, global: false },
      { 'retry-after': '1' },
    ]
  return [{ message: 'API rate limit exceeded' }, { 'retry-after': '1' }]
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
