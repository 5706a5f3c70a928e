import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf } from '../../lab/answer/answer.ts'
import type { Answer } from '../../lab/answer/shape.ts'
import { type LabRequest, readRequest } from '../../lab/request.ts'

/** What the model does next, by what the tools have answered so far, the oldest first. */
export type Script = (results: readonly string[]) => { tool: string; input: unknown } | { say: string }

/** A model that follows a script: it calls tools by the end of their names, and reads what they answer. */
export class ScriptedModel {
  readonly #server: Server
  readonly #script: Script
  /** Every call of a tool that it made, by its whole name. */
  readonly calls: string[] = []
  #number = 0

  constructor(script: Script) {
    this.#script = script
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method = 'GET', url: path = '/', headers } = request
        const text = Buffer.concat(chunks).toString('utf8')
        const read = readRequest(++this.#number, { method, path, headers, text })
        if (read.wants.what !== 'answer') {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"input_tokens":1}')
          return
        }
        const {
          status,
          headers: sent,
          parts,
        } = answerOf({ request: read, now: Date.now(), waitMs: 0 }, this.#answer(read))
        response.writeHead(status, sent)
        for (const part of parts) response.write(withNamespace(String(part)))
        response.end()
      })
    })
  }

  /** Listens on a free port; gives the address. */
  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(request: LabRequest): Answer {
    const tools = namesIn(request.body.tools)
    const next = this.#script(resultsIn(request.body))
    if ('say' in next) return { ends: 'stop', text: next.say }
    const name = tools.find(each => each.endsWith(next.tool))
    // Requests for a title or a summary offer no tools.
    if (name === undefined) return { ends: 'stop', text: 'ok' }
    this.calls.push(name)
    return { ends: 'tool', text: '', tool: { name, input: next.input } }
  }
}

/** Stands between the namespace of a tool and its name. */
const BETWEEN = '\u001f'

/** A tool of a namespace is called by both, each in a field of its own. */
function withNamespace(part: string): string {
  return part.replaceAll(/"name":"([^"]+?)\\u001f([^"]+)"/g, '"namespace":"$1","name":"$2"')
}

/** Names of tools in whatever shape a vendor has. */
function namesIn(tools: unknown): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: Record<string, unknown>) => {
    const { name, function: inner, functionDeclarations, tools: nested } = tool
    if (Array.isArray(nested)) return namesIn(nested).map(each => `${String(name)}${BETWEEN}${each}`)
    if (Array.isArray(functionDeclarations)) return namesIn(functionDeclarations)
    const called = name ?? (inner as { name?: unknown } | undefined)?.name
    return typeof called === 'string' ? [called] : []
  })
}

/** A part of a conversation, in the shapes of Anthropic, OpenAI and Google. */
interface Said {
  type?: string
  content?: unknown
  output?: unknown
  parts?: { functionResponse?: { response?: unknown } }[]
}

/** What tools have answered. */
function resultsIn({ messages, input, contents }: Record<string, unknown>): string[] {
  const all = [messages, input, contents].flatMap(list => (Array.isArray(list) ? (list as Said[]) : []))
  return all.flatMap(each => {
    if (each.type === 'function_call_output') return [textOf(each.output)]
    if (Array.isArray(each.parts))
      return each.parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [textOf(functionResponse.response)],
      )
    const parts = Array.isArray(each.content) ? (each.content as Said[]) : []
    return parts.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content))
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
