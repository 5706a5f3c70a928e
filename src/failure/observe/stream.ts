import { AgentEvent } from '../cli/event.ts'
import { isRecord, meaningOf } from '../cli/events.ts'
import { EndByEvents, type EventMeaning } from '../cli/meaning.ts'
import type { AgentProfile } from '../cli/profile.ts'
import { PROFILES } from '../cli/profiles.ts'
import { profileOfEvent, profileOfText } from '../cli/recognise.ts'
import { trim } from '../text/cut.ts'
import { type SortedLines, sortLines } from '../text/lines.ts'
import { findJson, matching, parseWhole } from './json.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject, Reader } from './read.ts'
import type { SpentSoFar } from './spent-so-far.ts'

/** How many characters of events to parse, from the end. The head is read for the session and the agent. */
const EVENT_BUDGET = 1_048_576
const MOST_LINES = 4_000
const HEAD = 8_192
const LONG_JSON = 65_536
const EVENT_MARKS = PROFILES.flatMap(({ eventMark }) => eventMark ?? [])

/** One stream of a program: JSON lines, one JSON object, plain text, or a mixture. */
export class Stream {
  worked = false
  /** What the last failure says. Empty if the run ended well after all. */
  failures: unknown[] = []
  /** Those of the failures that only the model's answer tells. */
  readonly answers = new Set<unknown>()
  /** Failures that the agent recovered from. */
  overcome: unknown[] = []
  /** Causes of the agent's own retries. */
  retries: unknown[] = []
  /** JSON that is not an event. */
  data: unknown[] = []
  /** The single object that makes up the stream, or the error that closes its JSON lines. */
  document: object | undefined
  /** Everything that is not an event, sorted. */
  readonly lines: SortedLines
  /** Objects found inside text. */
  quoted: unknown[] = []
  /** True if the stream is a record of events, not prose that quotes some. */
  isRecord = false
  /** True if the last failure is an agent's event, not just any object with an `error`. */
  isProven = false
  /** True if it is the beginning of what an agent prints, and no more. */
  breaksOff: 'answer' | 'start' | undefined

  readonly #events: AgentEvent[] = []
  /** Objects inside text, which may be events that it quotes. */
  readonly #quotes: AgentEvent[] = []
  readonly #plain: string
  /** Null if no CLI is known to print such a stream; undefined until that was asked. */
  #agent: AgentProfile | null | undefined
  readonly #end = new EndByEvents()
  readonly #reader = new Reader([])
  readonly #read = (value: object): Fields => this.#reader.fields(value)
  readonly #spent: SpentSoFar

  constructor(text: string, spent: SpentSoFar) {
    this.#spent = spent
    const plain = text === '' ? '' : this.#takeEvents(text)
    this.#plain = plain
    this.lines = sortLines(plain)
    for (const value of findJson(this.lines.final)) this.#quoted(value, this.quoted)
    for (const value of findJson(this.lines.banners)) this.#quoted(value, this.retries)
    this.isRecord ||= this.agent?.mixesEventsWithText === true
    spent.text(plain)
  }

  /** The CLI that prints such a stream. Found out only if asked for: mostly the provider's name says it. */
  get agent(): AgentProfile | undefined {
    if (this.#agent === undefined) this.#agent = this.#recognised() ?? null
    return this.#agent ?? undefined
  }

  #recognised(): AgentProfile | undefined {
    for (const event of [...this.#events, ...this.#quotes]) {
      const agent = profileOfEvent(event)
      if (agent) return agent
    }
    return profileOfText(this.#plain)
  }

  /** True if the stream contains events of a run. */
  get hasEvents(): boolean {
    return this.#events.some(
      event => (event.has('type') && isRecord(event.fields)) || profileOfEvent(event) !== undefined,
    )
  }

  /** How the run ended, by the last event that says so. */
  get ended(): EndByEvents['ended'] {
    return this.#end.ended
  }

  /** True if the last event says the run is over, but not how. */
  get isClosed(): boolean {
    return this.#end.isClosed
  }

  /** True if the last event says only that a step is over. */
  get isPaused(): boolean {
    return this.#end.isPaused
  }

  /** Takes the events out of a text and returns the rest. */
  #takeEvents(text: string): string {
    const mark = EVENT_MARKS.find(mark => text.includes(mark))
    if (mark !== undefined) return this.#takeMarked(text.slice(-EVENT_BUDGET), mark)
    // Most programs print neither events nor other JSON.
    if (text.length <= HEAD && !/^[{[]/m.test(text)) return text.replace(/^\n/, '').trimEnd()
    const at = text.length > EVENT_BUDGET ? -1 : text.search(/^(?:\{|\[\s*[{\]])/m)
    const whole = at < 0 ? undefined : parse(text.slice(at))
    const preface = text.slice(0, Math.max(0, at))
    if (whole === undefined && at === 0) this.breaksOff = breakOf(text)
    if (whole === undefined || sortLines(preface).final.trim() !== '') return this.#takeLines(text)
    this.isRecord = true
    if (preface.trim() === '' && isObject(whole)) this.document = whole
    this.#value(whole)
    return trim(preface)
  }

  /** For CLIs whose events span several lines, below a mark. */
  #takeMarked(text: string, mark: string): string {
    const [preface, ...marked] = text.split(mark)
    for (const part of marked) this.#value(findJson(part)[0])
    return trim([preface, ...marked.map(part => part.slice(part.lastIndexOf('\n}') + 2))].join(''))
  }

  #takeLines(text: string): string {
    const prose: string[] = []
    const values: unknown[] = []
    let events = 0
    let halves = 0
    for (const line of linesOf(text)) {
      const value = line.startsWith('{') || line.startsWith('[') ? parse(line) : undefined
      const half = value === undefined ? readHalf(line) : undefined
      if (value !== undefined) {
        values.push(value)
        this.#value(value)
      } else if (half) {
        this.isProven ||= half.isResult
        this.#take(half.meaning)
      }
      if (value === undefined && !half) prose.push(line)
      else events++
      if (half?.text !== undefined) {
        prose.push(half.text)
        if (half.isResult) halves++
      }
    }
    if (prose.every(line => line.trim() === '')) this.document = this.#closingError(values)
    // The text of half an event is no line of prose.
    this.isRecord = events > prose.filter(line => line.trim() !== '').length - halves
    return trim(prose.join('\n'))
  }

  /** A final line that is only an error, after lines of progress. Rows of a table all look alike. */
  #closingError(values: readonly unknown[]): object | undefined {
    const last = values.at(-1)
    if (values.length < 2 || !isObject(last) || isList(last)) return undefined
    const hasError = (value: unknown) => isObject(value) && this.#read(value).has('error')
    if (!hasError(last) || !isOutcomeAlone(this.#read(last))) return undefined
    return values.slice(0, -1).some(hasError) ? undefined : last
  }

  /** An object inside text: it may report a failure, but not how the run ended. */
  #quoted(value: unknown, to: unknown[]): void {
    if (!isObject(value) || isList(value)) {
      to.push(value)
      return
    }
    const event = new AgentEvent(value, this.#read)
    this.#quotes.push(event)
    this.#spent.event(event)
    const meaning = meaningOf(event)
    if (meaning.role === 'retrying' || meaning.role === 'warned') this.retries.push(meaning.content)
    else if (meaning.role === 'failed' || meaning.role === 'stopped') to.push(meaning.content)
    else if (meaning.role === 'none') to.push(value)
  }

  #value(value: unknown): void {
    if (isList(value)) for (const element of elements(value, MOST_LINES)) this.#value(element)
    if (!isObject(value) || isList(value)) return
    const event = new AgentEvent(value, this.#read)
    this.#events.push(event)
    this.#spent.event(event)
    const meaning = meaningOf(event)
    if (meaning.role === 'failed' || meaning.role === 'stopped')
      this.isProven = event.has('type') || event.has('kind') || profileOfEvent(event) !== undefined
    if (meaning.role === 'none') this.data.push(value)
    else this.#take(meaning)
  }

  #take(meaning: EventMeaning): void {
    const wentOn = this.#end.take(meaning)
    if (wentOn) this.#gotOver()
    if (meaning.role === 'failed' && meaning.by === 'model') this.answers.add(meaning.content)
    if (meaning.role === 'failed' || meaning.role === 'stopped') this.failures.push(meaning.content)
    else if (meaning.role === 'retrying' || meaning.role === 'warned') this.retries.push(meaning.content)
    else if (meaning.role === 'worked') this.worked = true
  }

  /** The agent went on, so the earlier failure was not the end. */
  #gotOver(): void {
    this.overcome.push(...this.failures)
    this.failures = []
  }
}

/** Made at the first one. */
let silent: Stream | undefined

/** Reads one stream of a program. Those that say nothing are all alike. */
export function streamOf(text: string, spent: SpentSoFar): Stream {
  if (text.trim() !== '') return new Stream(text, spent)
  silent ??= new Stream('', spent)
  return silent
}

/** The last lines that fit the budget, whole; then the head of the rest. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  let end = text.trimEnd().length
  const least = Math.max(0, end - EVENT_BUDGET)
  while (end > least && lines.length < MOST_LINES) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    // A line longer than the budget is cut; its head says what it is.
    lines.push(text.slice(start, Math.min(end, start + EVENT_BUDGET)))
    end = start - 1
  }
  if (end > 0) lines.push(...text.slice(0, Math.min(HEAD, end)).split('\n').reverse())
  return lines.reverse()
}

/** Long answers make the last event longer than the JSON that parseWhole looks for. */
function parse(text: string): unknown {
  if (text.length < LONG_JSON) return parseWhole(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The type of an event, if it comes first or right after the time. */
const EVENT_TYPE = /^\{"(?:(?:ts|timestamp)":\s?"?[^",{]{1,40}"?,\s?")?type":\s?"([^"]{1,40})"/
const ENDS = /^(?:error|result|turn\.failed|session\.error|run_result)$/
const WORKS = /^(?:assistant|tool|item|text$|reasoning|thinking|message|stream_event|agent_event|step_finish)/
const TALKS = /^(?:system|user|init|thread\.|turn\.|step_|session\.|run_|rate_limit_event|notification)/

const BROKEN: EventMeaning = {
  role: 'failed',
  content: { message: 'the result breaks off: unexpected end of JSON input' },
}

/** How the single object with which Gemini CLI answers begins. */
const HALF_ANSWER = /^\{\s*"session_id":\s*"[^"]*",\s*"response":\s*"/
/** The beginning of the first event of a run, if nothing follows it. */
const HALF_START = /^\{"type":\s?"(?:system|init|thread\.started|session\.start)"[^\n]*$/

function breakOf(text: string): 'answer' | 'start' | undefined {
  if (HALF_START.test(text)) return 'start'
  // Older versions begin with the answer itself, as other programs may.
  const isOlder = /^\{\s*"response":\s*"/.test(text)
  if ((!isOlder && !HALF_ANSWER.test(text)) || matching(text, 0) >= 0) return undefined
  return isOlder ? 'start' : 'answer'
}

interface HalfEvent {
  meaning: EventMeaning
  /** True for the last event of a run. */
  isResult: boolean
  text?: string
}

/** Reads a truncated JSON line: its beginning still says what kind of event it was. */
function readHalf(line: string): HalfEvent | undefined {
  if (!line.startsWith('{')) return undefined
  const head = line.slice(0, 2_000)
  const half = (meaning: EventMeaning): HalfEvent => ({ meaning, isResult })
  const type = EVENT_TYPE.exec(head)?.[1]
  const isResult = type !== undefined && /^(?:run_)?result$/.test(type)
  if (/^\{"role":\s?"(?:assistant|tool)"/.test(head)) return half({ role: 'worked' })
  if (type === undefined) return undefined
  if (WORKS.test(type)) return half({ role: 'worked' })
  if (!ENDS.test(type)) return TALKS.test(type) ? half({ role: 'ignored' }) : undefined
  const isFine = /"is_error":\s?false|"status":\s?"success"|"success":\s?true/.test(head)
  // A line that we cut ourselves ended well; one that broke off on its own lost part of the answer.
  if (isFine) return half(line.length < EVENT_BUDGET ? BROKEN : { role: 'succeeded' })
  if (isResult && !FAILS.test(head)) return half(BROKEN)
  return { ...half({ role: 'failed', content: {} }), text: line.slice(0, HEAD) }
}

/** What a result that reports a failure says at its beginning. */
const FAILS = /"is_error":\s?true|"errors?":|"(?:subtype|status)":\s?"(?:error|fail)/
