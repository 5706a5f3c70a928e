import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { DEEPEST, depthOf } from '../../http/request-values.ts'
import { idIn, idOfDropped } from '../dropped-line.ts'
import { messageOf } from '../json-rpc.ts'
import { LineReader } from '../lines.ts'

/** The longest message of a client, in bytes: as long as a body of the HTTP API. */
export const LONGEST_MESSAGE_BYTES = 16_777_216

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

/**
 * MCP over the streams of a process, one message a line. What is no message is answered, so that a client is never left
 * waiting, and reading goes on behind it.
 */
export class StdioTransport implements Transport {
  readonly #input: Readable
  readonly #output: Writable
  readonly #lines: LineReader
  #isClosed = false
  readonly #closed = Promise.withResolvers<void>()
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(input: Readable, output: Writable, longestBytes = LONGEST_MESSAGE_BYTES) {
    this.#input = input
    this.#output = output
    const problem = `the message is longer than ${longestBytes} bytes`
    this.#lines = new LineReader(
      line => this.#read(line),
      () => this.onerror?.(new Error(problem)),
      longestBytes,
      dropped => this.#refuse({ code: INVALID_REQUEST, problem, id: idOfDropped(dropped) ?? null }),
    )
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData)
    this.#input.once('end', this.#onEnd)
    this.#input.once('close', this.#onEnd)
    this.#input.on('error', this.#onError)
    this.#output.on('error', this.#onBroken)
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onEnd)
  }

  /** Resolves when the client has gone, or the transport was closed. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the client has gone'))
    return new Promise((resolve, reject) =>
      this.#output.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve())),
    )
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#input.off('data', this.#onData)
    this.#input.pause()
    this.onclose?.()
    this.#closed.resolve()
  }

  readonly #onData = (chunk: Buffer): void => this.#lines.push(chunk)
  readonly #onEnd = (): void => void this.close()
  readonly #onError = (error: Error): void => this.onerror?.(error)
  /** Nobody reads any more. */
  readonly #onBroken = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }

  #read(line: Buffer): void {
    if (this.#isClosed) return
    const read = readLine(line)
    if (read === undefined) return
    if ('message' in read) this.onmessage?.(read.message)
    else this.#refuse(read)
  }

  #refuse({ code, problem, id = null }: Refusal): void {
    this.onerror?.(new Error(problem))
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: problem } })}\n`)
  }
}

interface Refusal {
  code: number
  problem: string
  id?: string | number | null
}

/** The message of a line, or why it is none. Undefined for an empty line. */
function readLine(line: Buffer): { message: JSONRPCMessage } | Refusal | undefined {
  const text = textOf(line)
  if (text === undefined) return { code: PARSE_ERROR, problem: 'the message is not UTF-8' }
  if (text.trim() === '') return undefined
  if (depthOf(text) > DEEPEST)
    return {
      code: INVALID_REQUEST,
      problem: `the message nests deeper than ${DEEPEST} levels`,
      id: idIn(text) ?? null,
    }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { code: PARSE_ERROR, problem: `the message is not JSON: ${(error as Error).message}` }
  }
  const message = messageOf(value)
  if (message.type !== 'invalid')
    return { message: { jsonrpc: '2.0', ...(value as object) } as JSONRPCMessage }
  const { problem, id = null } = message
  return { code: INVALID_REQUEST, problem: `this is no message of JSON-RPC: ${problem}`, id }
}

function textOf(line: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line)
  } catch {
    return undefined
  }
}
