import { trim } from '../text/trim.ts'
import { type Agent, agentOfEvent, agentOfText } from './agent.ts'
import { type EventMeaning, meaningOf } from './events.ts'
import { findJson, parseWhole } from './json.ts'
import { elements, type Fields, isList, isObject, Reader } from './read.ts'
import type { Spent } from './spent.ts'

/** Of the events, as many characters are parsed from the end; the head is looked at for the session and the agent. */
const EVENT_BUDGET = 1_048_576
const MOST_LINES = 4_000
const HEAD = 8_192

/** One stream of a program, which may be JSON lines, one JSON object, plain text, or a mixture of them. */
export class Stream {
  /** How the run ended, by the last event that says so. */
  ended: 'succeeded' | 'failed' | undefined
  worked = false
  agent: Agent | undefined
  /** What the last failure says. Empty where it ended well after all. */
  failures: unknown[] = []
  /** Failures that the agent got over. */
  overcome: unknown[] = []
  /** Causes of its own tries. */
  retries: unknown[] = []
  /** JSON that is no event. */
  data: unknown[] = []
  /** Everything that is not JSON. */
  plain = ''
  /** True where the stream is a record of events, not prose that quotes some. */
  isRecord = false

  readonly #reader = new Reader([])
  readonly #spent: Spent

  constructor(text: unknown, spent: Spent) {
    this.#spent = spent
    if (typeof text !== 'string' || text.trim() === '') return
    const whole = text.length <= EVENT_BUDGET ? parse(text) : undefined
    if (whole !== undefined) {
      this.isRecord = true
      this.#value(whole)
    } else {
      this.#mixture(text)
    }
    this.agent ??= agentOfText(this.plain)
    this.#spent.text(this.plain)
  }

  #mixture(text: string): void {
    const prose: string[] = []
    let events = 0
    for (const line of linesOf(text)) {
      const value = line.startsWith('{') || line.startsWith('[') ? parse(line) : undefined
      const half = value === undefined ? readHalf(line) : undefined
      if (value !== undefined) this.#value(value)
      else if (half) this.#take(half.meaning)
      if (value === undefined && !half) prose.push(line)
      else events++
      if (half?.text !== undefined) prose.push(half.text)
    }
    this.plain = trim(prose.join('\n'))
    this.isRecord = events > prose.filter(line => line.trim() !== '').length
    if (this.isRecord) return
    for (const value of findJson(this.plain)) {
      if (isList(value)) this.data.push(value)
      else this.#value(value)
    }
  }

  #value(value: unknown): void {
    if (isList(value)) for (const element of elements(value, MOST_LINES)) this.#value(element)
    if (!isObject(value) || isList(value)) return
    const read = (object: object): Fields => this.#reader.fields(object)
    const fields = read(value)
    this.agent ??= agentOfEvent(fields)
    this.#spent.event(fields, read)
    const meaning = meaningOf(value, read)
    if (meaning.role === 'none') this.data.push(value)
    else this.#take(meaning)
  }

  #take(meaning: EventMeaning): void {
    switch (meaning.role) {
      case 'failed':
        this.ended = 'failed'
        this.failures.push(meaning.content)
        break
      case 'succeeded':
      case 'closed':
        if (meaning.role === 'closed' && this.ended === 'failed') break
        this.ended = 'succeeded'
        this.#gotOver()
        break
      case 'retrying':
        this.retries.push(meaning.content)
        break
      case 'worked':
      case 'began':
        this.worked ||= meaning.role === 'worked'
        this.ended = undefined
        this.#gotOver()
        break
      default:
        break
    }
  }

  /** The agent went on, so what failed before was not the end. */
  #gotOver(): void {
    this.overcome.push(...this.failures)
    this.failures = []
  }
}

/** The last lines, whole, as far as the budget goes; before them the head of what is left. */
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

function parse(text: string): unknown {
  const whole = parseWhole(text)
  if (whole !== undefined || text.length > EVENT_BUDGET || !/^\s*[[{]/.test(text)) return whole
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A line of JSON that broke off: its beginning still says what kind of event it was. */
function readHalf(line: string): { meaning: EventMeaning; text?: string } | undefined {
  const head = line.slice(0, 2_000)
  const type = /^\{"(?:type|ts|role|timestamp)":\s?"?[^"{]{0,40}"?(?:,"type":\s?"([^"]{1,40})")?/.exec(head)
  const name = /^\{"type":\s?"([^"]{1,40})"/.exec(head)?.[1] ?? type?.[1]
  if (name === undefined) return /^\{"role":\s?"(?:assistant|tool)"/.test(head) ? { meaning: { role: 'worked' } } : undefined
  if (/^(?:error|result|turn\.failed|session\.error|run_result)$/.test(name)) {
    if (/"is_error":\s?false|"status":\s?"success"|"success":\s?true/.test(head)) return { meaning: { role: 'succeeded' } }
    return { meaning: { role: 'failed', content: {} }, text: line.slice(0, HEAD) }
  }
  const worked = /^(?:assistant|tool|item|text|reasoning|thinking|message|stream_event|agent_event|step_finish)/.test(name)
  return { meaning: { role: worked ? 'worked' : 'ignored' } }
}
