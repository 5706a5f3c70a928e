import { readSse, type SseReading } from '../../failure/stream/sse.ts'

/** How much of the end of a body is kept: more than its last events take. */
const KEPT = 8_192

/** A body that may be a stream of events. */
interface Body {
  /** The end of what has come of it. */
  end: string
  isOver: boolean
}

/**
 * The last stream of events that the work of one try receives over HTTP, or those that it receives at the same time. SDKs do not
 * pass on all that says its end: not the `[DONE]`, and some not a last event with the usage. Without those, good streams of some
 * servers look like cut ones.
 */
export class Wire {
  /** Of the try whose work made the call of this one: it may return the same stream. */
  outer: Wire | undefined
  /** Made with the first body: every try has a wire, and most receive no stream. */
  #bodies: Map<object, Body> | undefined
  /** The requests whose bodies were over when this one was made. */
  #earlier: WeakMap<object, object[]> | undefined

  made(request: object): void {
    const over = [...(this.#bodies ?? [])].flatMap(([earlier, { isOver }]) => (isOver ? [earlier] : []))
    if (over.length > 0) {
      this.#earlier ??= new WeakMap()
      this.#earlier.set(request, over)
    }
    this.outer?.made(request)
  }

  /** A body begins that may be a stream of events. */
  began(request: object): void {
    this.#bodies ??= new Map()
    for (const earlier of this.#earlier?.get(request) ?? []) this.#bodies.delete(earlier)
    this.#bodies.set(request, { end: '', isOver: false })
    this.outer?.began(request)
  }

  took(request: object, bytes: Uint8Array): void {
    const body = this.#bodies?.get(request)
    if (body) body.end = (body.end + textOf(bytes.subarray(-KEPT))).slice(-KEPT)
    this.outer?.took(request, bytes)
  }

  /** The server has sent all. */
  ended(request: object): void {
    const body = this.#bodies?.get(request)
    if (body) body.isOver = true
    this.outer?.ended(request)
  }

  /** It broke off, or is no longer wanted: whoever reads it is told. Some clients hang up as soon as the last event has come. */
  broke(request: object): void {
    const body = this.#bodies?.get(request)
    if (body && isWhole(readEnd(body))) body.isOver = true
    else this.#bodies?.delete(request)
    this.outer?.broke(request)
  }

  /**
   * True if the server has finished an answer that has words: the mark of an end alone is none. Of several at the same time all must
   * be finished, because any may be the one that is read. False also where the runtime does not show what comes.
   */
  get isFinished(): boolean {
    const answers = [...(this.#bodies?.values() ?? [])].map(readEnd).filter(isAnswer)
    return answers.length > 0 && answers.every(isWhole)
  }
}

function readEnd({ end }: Body): SseReading {
  // What is kept of a longer body begins within a line.
  return readSse(end.length < KEPT ? end : end.replace(/^.*/, ''))
}

function isWhole({ hasContent, isFinished, failed }: SseReading): boolean {
  return hasContent && isFinished && failed === undefined
}

/** Others are no answers of a model, such as the open stream of an MCP server. */
function isAnswer({ hasContent, grammar, isFinished }: SseReading): boolean {
  return hasContent && (grammar !== undefined || isFinished)
}

/** Only names, numbers and marks matter, and those are ASCII. */
function textOf(bytes: Uint8Array): string {
  return LATIN.decode(bytes)
}
const LATIN = new TextDecoder('latin1')

interface Sent {
  request: object
}
interface Answered extends Sent {
  response: { headers: readonly (Uint8Array | string)[] }
}
interface Received extends Sent {
  chunk: Uint8Array
}

type Running = InstanceType<typeof import('node:async_hooks').AsyncLocalStorage<Wire | undefined>>

/** Undefined before the first try; null where the runtime shows no bodies. */
let running: Running | null | undefined

/** Runs code, and shows the wire what comes over HTTP for it. */
export function onWire<R>(wire: Wire, code: () => R): R {
  if (running === undefined) running = observed()
  if (!running) return code()
  const outer = running.getStore()
  if (outer !== wire) wire.outer ??= outer
  return running.run(wire, code)
}

/** True while requests are made whose answers are read as they come: then there is nothing that the wire knows better. */
let isOff = false

/** Runs code that makes such requests before it returns. */
export function offWire(code: () => void): void {
  isOff = true
  try {
    code()
  } finally {
    isOff = false
  }
}

/** Node's `fetch` reports bodies since undici 7.11 (Node 24.4). Nothing is imported, so this also runs without Node. */
function observed(): Running | null {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  const [major = 0, minor = 0] = (process?.versions?.undici ?? '').split('.').map(Number)
  if (!process?.getBuiltinModule || major < 7 || (major === 7 && minor < 11)) return null
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks')
  const { subscribe } = process.getBuiltinModule('node:diagnostics_channel')
  const current = new AsyncLocalStorage<Wire | undefined>()
  const wires = new WeakMap<object, Wire>()
  subscribe('undici:request:create', message => {
    const wire = isOff ? undefined : current.getStore()
    if (!wire) return
    const { request } = message as Sent
    wires.set(request, wire)
    wire.made(request)
  })
  subscribe('undici:request:headers', message => {
    const { request, response } = message as Answered
    const wire = wires.get(request)
    if (wire && isReadable(response.headers)) wire.began(request)
  })
  subscribe('undici:request:bodyChunkReceived', message => {
    const { request, chunk } = message as Received
    wires.get(request)?.took(request, chunk)
  })
  subscribe('undici:request:trailers', message => {
    const { request } = message as Sent
    wires.get(request)?.ended(request)
  })
  subscribe('undici:request:error', message => {
    const { request } = message as Sent
    wires.get(request)?.broke(request)
  })
  return current
}

/** True for headers of a body that may be a stream of events, and is not compressed. */
function isReadable(headers: Answered['response']['headers']): boolean {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = String(headers[at]).toLowerCase()
    if (name === 'content-encoding') return false
    if (name === 'content-type' && /json|html/.test(String(headers[at + 1]))) return false
  }
  return true
}
