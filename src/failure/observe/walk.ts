import { type FieldRole, isOurs, KNOWN_FIELDS, looksInward, rolesOf, snakeCase } from './fields.ts'
import { readHeaders } from './headers.ts'
import { findJson, parseWhole } from './json.ts'
import { type Observation, emptyObservation } from './observation.ts'
import { constructorName, elements, type Fields, isList, isObject, Reader } from './read.ts'
import { headerWords, shapeWords } from './shapes.ts'

const MOST_OBJECTS = 512
const MOST_ELEMENTS = 16
const MOST_TEXT_DEPTH = 4

interface Step {
  value: unknown
  where: string
  depth: number
  late: boolean
  /** How many times JSON was already taken out of a string on the way here. */
  unwrapped: number
}

/** Walks from the outermost error or body inward, and writes down what each layer says. */
export class Walk {
  readonly observation: Observation
  readonly #reader = new Reader(KNOWN_FIELDS)
  readonly #visited = new Set<object>()

  constructor(observation: Observation = emptyObservation()) {
    this.observation = observation
  }

  fields(value: object): Fields {
    return this.#reader.fields(value)
  }

  /** Reads a value and everything inside it. `late` marks what counts only when nothing else speaks. */
  read(value: unknown, where: string, { depth = 0, late = false } = {}): void {
    const steps: Step[] = [{ value, where, depth, late, unwrapped: 0 }]
    while (steps.length > 0 && this.#reader.objectsRead < MOST_OBJECTS) {
      const step = steps.shift() as Step
      if (typeof step.value === 'string') this.#text(step, steps)
      else if (isObject(step.value) && this.#isNew(step.value)) {
        if (isList(step.value)) pushElements(steps, step)
        else this.#object(step.value, step, steps)
      }
    }
  }

  /** Each object is read once, however many ways lead to it. */
  #isNew(value: object): boolean {
    return !this.#visited.has(value) && this.#visited.add(value).has(value)
  }

  #object(value: object, step: Step, steps: Step[]): void {
    const fields = this.#reader.fields(value)
    const name = constructorName(value)
    if (name && fields.get('name') !== name) this.#word(name, step.where, step)
    for (const [field, content] of fields) {
      if (isOurs(field)) continue
      const where = step.where ? `${step.where}.${field}` : field
      if (field === 'headers' || field === 'responseHeaders') this.#headers(content, { ...step, where })
      else this.#field(field, content, rolesOf(field), { ...step, value: content, where }, steps)
    }
    for (const word of shapeWords(fields)) this.#named(word, step)
    this.#spent(fields)
    this.#phase(fields)
  }

  #field(field: string, content: unknown, roles: ReadonlySet<FieldRole>, step: Step, steps: Step[]): void {
    if (typeof content === 'string') {
      if (roles.has('wait')) this.observation.waits.push({ key: field, value: content, where: step.where, late: step.late })
      if (roles.has('status') && /^[1-5]\d\d$/.test(content)) this.#status(Number(content), step)
      if (roles.has('word') && content.length <= 80) this.#word(content, step.where, step, field)
      else if (roles.has('scoped') && content.length <= 80) this.#scoped(field, content, step)
      if (field === 'message' || field === 'error') this.#whole(field, content, step)
      if (roles.has('text')) this.#text(step, steps)
      else if (looksInward(field)) this.#text(step, steps)
    } else if (typeof content === 'number' || typeof content === 'bigint') {
      const number = Number(content)
      if (roles.has('wait')) this.observation.waits.push({ key: field, value: number, where: step.where, late: step.late })
      if (roles.has('status') && Number.isInteger(number) && number >= 100 && number <= 599) this.#status(number, step)
      if (roles.has('word') || roles.has('status')) this.#number(field, number, step)
    } else if (isObject(content) && (roles.has('inner') || looksInward(field))) {
      steps.push({ ...step, depth: step.depth + 1 })
    } else if (content === true) {
      this.#scoped(field, 'true', step)
    }
  }

  /** Writes down a text as it is, without looking for JSON in it. */
  text(value: string, where: string, { depth = 0, late = false } = {}): void {
    if (value.trim() !== '') this.observation.texts.push({ value, where, depth, late })
  }

  #text(step: Step, steps: Step[]): void {
    const value = step.value as string
    if (value.trim() === '') return
    if (step.unwrapped < MOST_TEXT_DEPTH) {
      const inside = { ...step, depth: step.depth + 1, unwrapped: step.unwrapped + 1 }
      const whole = parseWhole(value)
      if (whole !== undefined) {
        steps.push({ ...inside, value: whole })
        return
      }
      for (const found of findJson(value)) steps.push({ ...inside, value: found })
    }
    this.text(value, step.where, step)
  }

  #word(value: string, where: string, step: Step, field?: string): void {
    const word = value.trim().toLowerCase()
    if (word === '') return
    const { depth, late } = step
    this.observation.words.push({ value: word, raw: value, where, depth, late })
    if (field) this.observation.words.push({ value: `${snakeCase(field)}=${word}`, where, depth, late })
  }

  #scoped(field: string, value: string, step: Step): void {
    const { where, depth, late } = step
    const word = value.trim().toLowerCase()
    this.observation.words.push({ value: `${snakeCase(field)}=${word}`, where, depth, late })
    // google.rpc puts its code words into `status`; other APIs put lifecycle words there.
    if (/^[A-Z][A-Z]+(_[A-Z]+)*$/.test(value)) this.observation.words.push({ value: word, raw: value, where, depth, late })
  }

  /** A message that is nothing but a word or two is as good as a code. */
  #whole(field: string, value: string, step: Step): void {
    if (value.length > 80) return
    const [, words] = /^\s*(\w(?:[\w ]{0,38}\w)?)[.!]?\s*$/.exec(value) ?? []
    if (words) this.#scoped(field, words, step)
  }

  #number(field: string, value: number, step: Step): void {
    const { where, depth, late } = step
    this.observation.words.push({ value: `${snakeCase(field)}=${value}`, where, depth, late })
    if (value < 0 || value > 599) this.observation.words.push({ value: String(value), where, depth, late })
  }

  /** A word in its final form, `family=value`. */
  #named(value: string, { where, depth, late }: Step): void {
    this.observation.words.push({ value, where, depth, late })
  }

  #status(value: number, step: Step): void {
    this.observation.statuses.push({ value, where: step.where, depth: step.depth, late: step.late })
  }

  #headers(content: unknown, step: Step): void {
    if (!isObject(content) || !this.#isNew(content)) return
    for (const [name, value] of readHeaders(content)) {
      if (this.observation.headers.has(name)) continue
      this.observation.headers.set(name, value)
      for (const word of headerWords(name, value)) this.#named(word, step)
    }
  }

  /** What the failed call already used up, where an agent or SDK says so. */
  #spent(fields: Fields): void {
    const { observation } = this
    const session = fields.get('session_id') ?? fields.get('sessionId') ?? fields.get('sessionID') ?? fields.get('thread_id')
    if (typeof session === 'string' && session !== '') observation.sessionId ??= session
    const cost = fields.get('total_cost_usd') ?? fields.get('cost_usd')
    if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) observation.costUsd ??= cost
    const turns = fields.get('num_turns') ?? fields.get('numTurns')
    if (typeof turns === 'number' && Number.isInteger(turns) && turns >= 0) observation.turns ??= turns
  }

  /** Fields that prove how far the request got. */
  #phase(fields: Fields): void {
    const syscall = fields.get('syscall')
    const event = fields.get('event')
    // A synchronous child that ran into its timer or its buffer had begun.
    const begun = fields.get('code') === 'ETIMEDOUT' || fields.get('code') === 'ENOBUFS'
    const connecting =
      syscall === 'connect' ||
      syscall === 'getaddrinfo' ||
      (typeof syscall === 'string' && ((syscall.startsWith('spawn') && !begun) || syscall.startsWith('query'))) ||
      (fields.get('name') === 'TimeoutError' && (event === 'lookup' || event === 'connect' || event === 'secureConnect'))
    if (connecting) this.observation.phase ??= 'none'
    else if (syscall === 'read' || syscall === 'write') this.observation.phase = 'maybe'
    const socket = fields.get('socket')
    if (isObject(socket)) {
      const written = this.#reader.fields(socket).get('bytesWritten')
      if (typeof written === 'number') this.observation.phase = written === 0 ? 'none' : 'maybe'
    }
  }
}

function pushElements(steps: Step[], step: Step): void {
  for (const [index, element] of elements(step.value, MOST_ELEMENTS).entries()) {
    steps.push({ ...step, value: element, where: `${step.where}[${index}]` })
  }
}
