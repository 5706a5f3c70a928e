import { sortLines } from '../text/lines.ts'
import { trim } from '../text/trim.ts'
import { meaningOf } from './events.ts'
import { findJson, parseWhole } from './json.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
import type { Walk } from './walk.ts'

/** How a finished process ended, as far as its own output says: by its last terminal event, or only by its exit. */
export type Ending = 'succeeded' | 'failed' | 'exited zero'

const LONGEST_LAST_LINE = 1_048_576
const MOST_LINES = 2_000

/** Reads the streams of a finished process into the observation, and says how it ended. */
export function observeProcess(walk: Walk, fields: Fields, agent: string | undefined): Ending {
  const exitCode = exitCodeOf(fields)
  const signal = typeof fields.get('signal') === 'string' ? (fields.get('signal') as string) : null
  const reading = new OutputReading(walk)
  reading.read(fields.get('stderr'), 'stderr')
  reading.read(fields.get('stdout'), 'stdout')
  walk.observation.process = { exitCode, signal, agent, worked: reading.worked }
  const at = { where: 'process', depth: 0, late: false }
  if (exitCode !== null) walk.observation.words.push({ value: `exit=${exitCode}`, ...at })
  if (signal) walk.observation.words.push({ value: `signal=${signal.toLowerCase()}`, ...at })
  if (reading.ended === 'succeeded' && signal === null) return 'succeeded'
  if (reading.ended === 'failed' || signal !== null || exitCode !== 0) return 'failed'
  return 'exited zero'
}

function exitCodeOf(fields: Fields): number | null {
  const exit = fields.get('exitCode') ?? fields.get('exit_code') ?? (fields.has('cmd') ? fields.get('code') : undefined)
  return typeof exit === 'number' ? exit : null
}

/** Reads output that may be JSON lines, one JSON object, plain text, or a mixture of them. */
class OutputReading {
  ended: 'succeeded' | 'failed' | undefined
  worked = false
  readonly #walk: Walk

  constructor(walk: Walk) {
    this.#walk = walk
  }

  read(stream: unknown, where: string): void {
    if (typeof stream !== 'string' || stream.trim() === '') return
    const whole = stream.length <= LONGEST_LAST_LINE ? parseWhole(stream) : undefined
    if (whole !== undefined) this.#json(whole, where)
    else if (/(?:^|\n)\{"/.test(stream)) this.#lines(stream, where)
    else this.#plain(trim(stream), where)
  }

  #lines(stream: string, where: string): void {
    const plain: string[] = []
    const last = stream.slice(-LONGEST_LAST_LINE).trimEnd()
    const lines = trim(stream.slice(0, -1).trimEnd()).split('\n').slice(-MOST_LINES)
    // The final event may be longer than all that is kept of the rest, so it is taken from the whole stream.
    lines[lines.length - 1] = last.slice(last.lastIndexOf('\n') + 1)
    for (const line of lines) {
      const value = line.startsWith('{') || line.startsWith('[') ? parseWhole(line) : undefined
      if (value === undefined) plain.push(line)
      else this.#json(value, where)
    }
    this.#plain(plain.join('\n'), where)
  }

  #json(value: unknown, where: string): void {
    if (isList(value)) {
      for (const element of elements(value, MOST_LINES)) this.#json(element, where)
    } else if (isObject(value)) {
      this.#event(value, where, { depth: 1, late: false })
    }
  }

  #event(value: object, where: string, place: { depth: number; late: boolean }): void {
    const meaning = meaningOf(value, object => this.#walk.fields(object))
    switch (meaning.role) {
      case 'failed':
        this.ended = 'failed'
        this.#walk.read(meaning.content, where, place)
        break
      case 'succeeded':
        this.ended = 'succeeded'
        this.worked = true
        break
      case 'retrying':
        this.#walk.read(meaning.content, where, { ...place, late: true })
        break
      case 'worked':
        this.worked = true
        break
      case 'none':
        this.#walk.read(value, where, place)
        break
      case 'ignored':
        break
    }
  }

  #plain(text: string, where: string): void {
    const { final, late, timerFired } = sortLines(text)
    if (timerFired) this.#walk.observation.words.push({ value: 'frame=timer', where, depth: 0, late: false })
    for (const found of findJson(final)) {
      if (isList(found)) this.#walk.read(found, where, { depth: 1 })
      else this.#event(found as object, where, { depth: 1, late: false })
    }
    for (const found of findJson(late)) this.#walk.read(found, where, { depth: 1, late: true })
    this.#walk.text(final, where)
    this.#walk.text(late, where, { late: true })
  }
}
