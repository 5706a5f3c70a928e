import { isOwnField } from '../part.ts'
import { trim } from '../text/cut.ts'
import { bytesAsText } from './bytes.ts'
import { type FieldMeaning, meaningOfField } from './fields.ts'
import { readHeaders } from './headers.ts'
import { findJson, parseWhole } from './json.ts'
import { isLaterTry, Notes, type Place } from './notes.ts'
import type { Observation } from './observation.ts'
import { phaseOf } from './phase.ts'
import { constructorName, type Fields, isList, isObject, type Reader } from './read.ts'
import { headerWords, shapeWords } from './shapes.ts'
import { readSpent } from './spent-so-far.ts'

const MOST_OBJECTS = 512
/** Most lists that are read, with their snapshots: a megabyte of brackets is half a million lists. */
const MOST_LISTS = 20_000
const MOST_ELEMENTS = 16
const MOST_UNWRAPPED = 4
/** How many characters are searched for JSON: of one text, and of all texts of one input. */
const LONGEST_TEXT = 262_144
const MOST_CHARACTERS = 1_048_576
const LONGEST_WORD = 80

interface Step extends Place {
  value: unknown
  /** How many times JSON was taken out of a string on the way here. */
  unwrapped: number
}

/** Walks from the outermost error or body inward, and records what each layer says. */
export class Walk {
  readonly observation: Observation
  readonly #notes = new Notes()
  readonly #reader: Reader
  readonly #visited = new Set<object>()
  #headers: Map<string, { where: string; depth: number }> | undefined
  readonly #read = (value: object): Fields => this.#reader.fields(value)

  #charactersLeft = MOST_CHARACTERS

  /** @param reader caches what it has read, so nothing is read twice */
  constructor(reader: Reader) {
    this.#reader = reader
    this.observation = this.#notes.observation
  }

  fields(value: object): Fields {
    return this.#reader.fields(value)
  }

  /** Reads a value and everything inside it. `late` marks what counts only if nothing else says anything. */
  read(value: unknown, where: string, { depth = 0, late = false, quoted = false } = {}): void {
    const steps: Step[] = [{ value, where, depth, late, quoted, unwrapped: 0 }]
    while (steps.length > 0 && this.#mayReadOn()) {
      const step = steps.shift() as Step
      const text = typeof step.value === 'string' ? step.value : bytesAsText(step.value, LONGEST_TEXT)
      if (text !== undefined) this.#text(text, step, steps)
      else if (isObject(step.value) && this.#isNew(step.value)) {
        if (isList(step.value)) pushElements(steps, step, this.#reader.list(step.value))
        else this.#object(step.value, step, steps)
      }
    }
  }

  #mayReadOn(): boolean {
    return this.#reader.objectsRead < MOST_OBJECTS && this.#reader.listsRead < MOST_LISTS
  }

  /** Records a text as it is, without searching it for JSON. */
  text(value: string, where: string, { depth = 0, late = false } = {}): void {
    this.#notes.text(this.#afforded(value), { where, depth, late })
  }

  /** Like `text`, for lines that are already sorted (see text/lines.ts). */
  sortedText(value: string, where: string, { late = false } = {}): void {
    this.#notes.text(this.#afforded(value), { where, depth: 0, late }, true)
  }

  /** Records a word in its final form, `family=value`. */
  named(value: string, place: Place): void {
    this.#notes.named(value, place)
  }

  /** Reads the headers of an answer. */
  headers(content: unknown, where: string, { depth = 0, late = false, quoted = false } = {}): void {
    if (!isObject(content) || !this.#isNew(content)) return
    const place = { where, depth, late, quoted }
    const isOfAnswer = !quoted && isOwnField(where)
    const { observation } = this
    // Not made before, because most inputs have none.
    if (isOfAnswer) observation.headers = new Map(observation.headers)
    else observation.toldHeaders = new Map(observation.toldHeaders)
    for (const [name, value] of readHeaders(content)) {
      if (!this.#isHeard(name, place)) continue
      if (isOfAnswer) observation.headers.set(name, value)
      else observation.toldHeaders.set(name, { value, where, quoted })
      if (name === 'x-amzn-errortype')
        this.#notes.word(value.split(/[:#]/)[0] as string, place, meaningOfField('code'))
      for (const word of headerWords(name, value)) this.#notes.named(word, place)
    }
  }

  /** The outermost answer's headers count; of several tries in a list, those of the last. */
  #isHeard(name: string, { where, depth }: Place): boolean {
    this.#headers ??= new Map()
    const before = this.#headers.get(name)
    if (before && !(before.depth === depth && isLaterTry(where, before.where))) return false
    this.#headers.set(name, { where, depth })
    return true
  }

  /** Cuts a text to the characters left for this input. Outer texts come first. */
  #afforded(value: string): string {
    const kept = trim(value, Math.min(LONGEST_TEXT, this.#charactersLeft))
    this.#charactersLeft = Math.max(0, this.#charactersLeft - kept.length)
    return kept
  }

  /** Each object is read once, even if several paths lead to it. */
  #isNew(value: object): boolean {
    return !this.#visited.has(value) && this.#visited.add(value).has(value)
  }

  #object(value: object, step: Step, steps: Step[]): void {
    const fields = this.#reader.fields(value)
    const name = constructorName(value)
    if (name && fields.get('name') !== name) this.#notes.word(name, step)
    const { depth, late, quoted, unwrapped } = step
    fields.forEach((content, key) => {
      const field = meaningOfField(key)
      if (field.isOurs) return
      const where = step.where ? `${step.where}.${key}` : key
      if (key === 'headers' || key === 'responseHeaders') this.headers(content, where, step)
      else this.#field(field, { value: content, where, depth, late, quoted, unwrapped }, steps)
    })
    for (const word of shapeWords(fields, this.#read)) this.#notes.named(word, step)
    const phase = phaseOf(fields, this.#read)
    if (phase !== undefined && !quoted) this.observation.phases.push({ effect: phase, where: step.where })
    readSpent(this.observation, fields)
  }

  #field(field: FieldMeaning, step: Step, steps: Step[]): void {
    const { value } = step
    if (typeof value === 'string') this.#string(field, value, step, steps)
    else if (typeof value === 'number' || typeof value === 'bigint') this.#number(field, Number(value), step)
    else if (value === true) this.#notes.scoped(field, 'true', step)
    else if (value === false && (field.name === 'success' || field.name === 'ok'))
      this.#notes.scoped(field, 'false', step)
    else if (isObject(value)) {
      if (field.name === 'errors' && !isList(value)) this.#byField(value, step, steps)
      const speaks = field.inner || field.text || field.looksInward
      steps.push({ ...step, value: speaks ? value : withoutStrings(value), depth: step.depth + 1 })
    }
  }

  /** Validation errors keyed by the name of the wrong field: Rails, Laravel, Django and their clients. */
  #byField(errors: object, step: Step, steps: Step[]): void {
    for (const [key, content] of this.#reader.fields(errors)) {
      if (typeof content !== 'string' && !isList(content)) continue
      const where = `${step.where}.${key}`
      if (!meaningOfField(key).text) steps.push({ ...step, value: content, where, depth: step.depth + 1 })
    }
  }

  #string(field: FieldMeaning, content: string, step: Step, steps: Step[]): void {
    if (field.wait) this.#notes.wait(field.name, content, step)
    if (field.status && /^[1-5]\d\d$/.test(content)) this.#notes.status(Number(content), step)
    if (content.length <= LONGEST_WORD) {
      if (field.word) this.#notes.word(content, step, field)
      else if (field.scoped) this.#notes.scoped(field, content, step)
    }
    if (field.name === 'message' || field.name === 'error') this.#notes.wholeMessage(field, content, step)
    if (field.text || field.looksInward) this.#text(content, step, steps)
  }

  #number(field: FieldMeaning, value: number, step: Step): void {
    if (field.wait) this.#notes.wait(field.name, value, step)
    if (field.status && Number.isInteger(value) && value >= 100 && value <= 599)
      this.#notes.status(value, step)
    if (field.word || field.status) this.#notes.number(field, value, step)
  }

  /** Keeps a text and the JSON inside it. A text that is only JSON counts as that JSON. */
  #text(whole: string, step: Step, steps: Step[]): void {
    const value = this.#afforded(whole)
    if (step.unwrapped < MOST_UNWRAPPED && value.trim() !== '') {
      const inside = { ...step, depth: step.depth + 1, unwrapped: step.unwrapped + 1, quoted: true }
      const parsed = parseWhole(value)
      if (parsed !== undefined) {
        this.observation.heard.push({ value, where: step.where })
        steps.push({ ...inside, value: parsed, quoted: step.quoted || !BODY.test(step.where) })
        return
      }
      for (const found of findJson(value)) steps.push({ ...inside, value: found })
    }
    this.#notes.text(value, step)
  }
}

/** Fields in which clients keep a whole answer as text. */
const BODY = /(?:^|\.)(?:body|responseBody|response_body|data)$/

/** A list under an unknown field may hold anything: suggestions, labels, names. Only the objects in it count. */
function withoutStrings(content: object): object {
  return isList(content) ? ends(content as unknown[]).filter(isObject) : content
}

/** The first and last elements of a long list: the last try is the one that counts. */
function ends(list: readonly unknown[]): unknown[] {
  if (list.length <= MOST_ELEMENTS) return [...list]
  return [...list.slice(0, MOST_ELEMENTS / 2), ...list.slice(-MOST_ELEMENTS / 2)]
}

function pushElements(steps: Step[], step: Step, list: readonly unknown[]): void {
  for (const [index, element] of ends(list).entries()) {
    steps.push({ ...step, value: element, where: `${step.where}[${index}]` })
  }
}
