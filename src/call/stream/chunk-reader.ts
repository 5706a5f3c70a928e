import { classify } from '../../failure/classify.ts'
import { isFineAnswer } from '../../failure/observe/observe.ts'
import { isPage } from '../../failure/observe/page.ts'
import { isObject } from '../../failure/observe/read.ts'
import { finishOf } from '../../failure/stream/answer.ts'
import { type EventRole, type GrammarName, StreamReading } from '../../failure/stream/reading.ts'
import { SseReading } from '../../failure/stream/sse.ts'
import { StreamCut } from '../../failure/stream/stream-cut.ts'
import { type Used, usedBy, usedByEnds, usedSoFar } from '../../failure/stream/usage.ts'
import { asAnswer } from '../finish.ts'

/** What is known about a stream before its first chunk. */
export interface ChunkReaderOptions {
  /** The caller waits for a chunk, or its source always sends one. */
  expectsChunk?: boolean
  /** It comes from a model API for sure. */
  isOfModel?: boolean
  grammar?: GrammarName
  /** A complete answer that is cut at its token limit, or filtered, is a failure. */
  isStrict?: boolean
  /** A complete answer without a word is remarked on. */
  remarksEmpty?: boolean
  /** The HTTP answer whose body it is, for the failure of a body that is no stream. */
  answer?: Omit<FailedAnswer, 'body'>
  /** Whether the answer is complete by what came over HTTP, where the chunks do not show it. */
  isFinishedOnWire?: () => boolean
}

/** How much of a body without events is kept, to say what it is. */
const MOST_TEXT = 65_536
/** How much of the end of a longer one is kept, where it says what it used. */
const MOST_TAIL = 8_192
const WHOLE = new TextDecoder()
/** The first characters of server-sent events. */
const SSE = /^\s*(?:data|event|id|retry)?:/

/**
 * Reads what the chunks of a returned stream say, whatever they are: events of an SDK, bytes or text of server-sent events.
 * Chunks of anything else are content, and may end at any time.
 */
export class ChunkReader {
  readonly #options: ChunkReaderOptions
  #reading: StreamReading | undefined
  #sse: SseReading | undefined
  #decoder: InstanceType<typeof TextDecoder> | undefined
  #isEmpty = true
  /** True for a body that cannot be a stream of events, but is read to its end. */
  #isOther = false
  /** The body, as long as it has no event. */
  #text = ''
  /** The end of a body that is longer than what is kept. */
  #tail = ''
  #usedByWhole: Used = {}
  #finishOfWhole: StreamReading['finish']

  constructor(options: ChunkReaderOptions = {}) {
    this.#options = options
    if (options.grammar) this.#reading = new StreamReading(options.grammar, true, options.isFinishedOnWire)
    if (typeOf(options.answer).includes('event-stream')) this.#sse = this.#reading = new SseReading()
    // Where a stream is expected, JSON or a page is what came in its place: all of it says why.
    this.#isOther = options.expectsChunk === true && /\bjson\b|\bhtml\b/.test(typeOf(options.answer))
  }

  /** A reader of the same stream that knows more about it. */
  with(more: ChunkReaderOptions): ChunkReader {
    return new ChunkReader({ ...this.#options, ...more })
  }

  /** What is special about the complete answer. */
  get finish(): StreamReading['finish'] {
    const reading = this.#reading
    const isEmpty = this.#options.remarksEmpty && reading?.isFinished && !reading.hasContent
    return reading?.finish ?? this.#finishOfWhole ?? (isEmpty ? { as: 'empty', reason: 'stop' } : undefined)
  }

  /** What the answer says that it used: a stream in its events, JSON in its place as a whole. */
  get used(): Used {
    return this.#reading?.used ?? this.#usedByWhole
  }

  /** What says that the answer failed. */
  get failed(): unknown {
    return (
      this.#reading?.failed ?? (this.finish && this.#options.isStrict ? asAnswer(this.finish) : undefined)
    )
  }

  /** True if a chunk may hold several events, so that one with an error may hold content too. */
  get isOfBytes(): boolean {
    return this.#sse !== undefined
  }

  /** True if the source reports failures as events among others, as the AI SDK does, and goes on to its end. */
  get isReporting(): boolean {
    return this.#options.grammar === 'ai-sdk'
  }

  /** What the next chunk is. */
  take(chunk: unknown): EventRole {
    const text = this.#textOf(chunk)
    if (text === undefined) {
      this.#isEmpty = false
      this.#reading ??= new StreamReading(undefined, this.#options.isOfModel, this.#options.isFinishedOnWire)
      return this.#sse ? 'content' : this.#reading.take(chunk)
    }
    if (text === '') return 'envelope'
    if (this.#isEmpty && !this.#isOther && !this.#reading && SSE.test(text))
      this.#sse = this.#reading = new SseReading()
    this.#isEmpty = false
    if (this.#isOther || this.#sse?.events === 0) this.#keep(text)
    if (this.#isOther) return this.#text.length < MOST_TEXT ? 'envelope' : 'content'
    if (!this.#sse) return 'content'
    const roles = this.#sse.feed(text)
    return (['error', 'content', 'finish'] as const).find(role => roles.includes(role)) ?? 'envelope'
  }

  /** Why the stream must not end now: what failed, or that it was cut. Undefined if it may. */
  atEnd(): unknown {
    this.#sse?.end()
    const { answer, expectsChunk } = this.#options
    const reading = this.#reading
    if (this.failed !== undefined) return this.failed
    if (this.#isEmpty)
      return expectsChunk || this.#sse ? new StreamCut('the stream ended without any chunk') : undefined
    if (answer && (this.#isOther || this.#sse?.events === 0)) return this.#inPlaceOfStream(answer)
    // Only the mark of an end, without anything before.
    if (reading?.isFinished && !reading.grammar && !reading.hasContent)
      return new StreamCut('the stream ended without an answer')
    return reading?.isOpen ? new StreamCut('the stream ended without its finish event') : undefined
  }

  #keep(text: string): void {
    const free = MOST_TEXT - this.#text.length
    if (free > 0) this.#text += text.slice(0, free)
    if (text.length > free) this.#tail = (this.#tail + text.slice(Math.max(0, free))).slice(-MOST_TAIL)
  }

  /** What came in place of a stream: its body may say why. A whole answer in JSON is as good. */
  #inPlaceOfStream(answer: Omit<FailedAnswer, 'body'>): unknown {
    const cause = { ...answer, body: this.#text }
    const isAll = this.#text.length < MOST_TEXT
    const json = isAll && this.#isOther ? jsonOf(this.#text, answer) : undefined
    if (!isAll && isJson(answer)) this.#usedByWhole = usedByEnds(this.#text, this.#tail)
    if (json) {
      // Gemini's streams are lists, unless they are asked for as events.
      this.#usedByWhole = Array.isArray(json) ? json.map(usedBy).reduce(usedSoFar, {}) : usedBy(json)
      this.#finishOfWhole = finishOf(json)
      // Cut or filtered, it is still complete.
      if (this.#finishOfWhole) return this.failed
      // Most answers end here: reading the whole HTTP answer would take longer than all else.
      if (answer.status < 300 && isFineAnswer(json)) return undefined
    }
    if (isAll && classify(cause, { returned: true })) return cause
    if (this.#isOther && (!isAll || json || isText(this.#text, answer))) return undefined
    return new StreamCut('what came is not a stream of events', { cause })
  }

  #textOf(chunk: unknown): string | undefined {
    if (typeof chunk === 'string') return chunk
    // Not instanceof: bytes may come from another realm, as in Jest or a worker.
    if (!ArrayBuffer.isView(chunk)) return undefined
    const bytes = chunk as Uint8Array
    // Most chunks end with a whole character. A decoder that remembers half of one takes longer to make than all else here.
    if (!this.#decoder && (bytes.at?.(-1) ?? 0xff) < 0x80) return WHOLE.decode(bytes)
    this.#decoder ??= new TextDecoder()
    return this.#decoder.decode(bytes, { stream: true })
  }
}

function typeOf(answer: ChunkReaderOptions['answer']): string {
  return answer?.headers.get('content-type') ?? ''
}

/** The JSON of a body that is to be some; undefined if it is not whole. */
function jsonOf(body: string, answer: ChunkReaderOptions['answer']): object | undefined {
  if (!isJson(answer)) return undefined
  try {
    const json: unknown = JSON.parse(body)
    return isObject(json) ? json : { json }
  } catch {
    return undefined
  }
}

function isJson(answer: ChunkReaderOptions['answer']): boolean {
  return /\bjson\b/.test(typeOf(answer))
}

function isText(body: string, answer: ChunkReaderOptions['answer']): boolean {
  return !isJson(answer) && !isPage(body)
}

/** What a failed answer is classified by. */
export interface FailedAnswer {
  status: number
  statusText: string
  headers: Headers | ReadonlyMap<string, string>
  body: string
}
