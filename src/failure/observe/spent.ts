import { isSessionId } from '../session-id.ts'
import { anyOf, glanceAt, maySay } from '../text/glance.ts'
import { matchesOf } from '../text/matches.ts'
import type { Observation } from './observation.ts'
import { type Fields, isObject } from './read.ts'

type ReadFields = (value: object) => Fields

const SESSION = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'taskId']
const COST = ['total_cost_usd', 'totalCost', 'cost']
const TURNS = ['num_turns', 'numTurns', 'iterations']

const PRICE = /^Tokens: .{0,80}Cost: .{0,40}\$(\d+(?:\.\d+)?) session\b/gm
const TEXT_WORDS = anyOf('kimi -r ', 'session id: ', '--resume', 'tokens: ')

/** What a run of an agent used up so far, gathered from its events: a failed run is resumed and paid for too. */
export class Spent {
  sessionId: string | undefined
  /** Totals replace each other, prices of steps add up. */
  #totalUsd: number | undefined
  #stepsUsd: number | undefined
  #turns: number | undefined
  #steps = 0

  /** What a single error, result or body tells; the outermost that tells it counts. */
  static readInto(observation: Observation, fields: Fields): void {
    const sessionId = first(fields, SESSION, isSessionId)
    const costUsd = first(fields, ['total_cost_usd', 'cost_usd'], isAmount)
    const turns = first(fields, ['num_turns', 'numTurns'], isAmount)
    if (sessionId !== undefined) observation.sessionId ??= sessionId
    if (costUsd !== undefined) observation.costUsd ??= costUsd
    if (turns !== undefined) observation.turns ??= turns
  }

  event(fields: Fields, read: ReadFields): void {
    this.sessionId = first(fields, SESSION, isSessionId) ?? this.sessionId
    this.#turns = first(fields, TURNS, isAmount) ?? this.#turns
    const type = fields.get('type')
    if (type === 'turn.started') this.#steps++
    if (type === 'step_finish') this.#step(fields.get('part'), read)
    else if (type === 'result' || type === 'run_result')
      this.#totalUsd = totalOf(fields, read) ?? this.#totalUsd
  }

  /** What some CLIs print in words: a hint for resuming, the price of the session. */
  text(text: string): void {
    if (text === '' || !maySay(glanceAt(text), TEXT_WORDS)) return
    const told = /(?:\bkimi -r |^session id: |--resume[= ])([\w-]{8,64})\s*$/m.exec(text)?.[1]
    if (isSessionId(told)) this.sessionId ??= told
    const price = [...matchesOf(PRICE, text)].at(-1)?.[1]
    if (price !== undefined) this.#totalUsd ??= Number(price)
  }

  writeTo(observation: Observation): void {
    const cost = this.#totalUsd ?? this.#stepsUsd
    const turns = this.#turns ?? (this.#steps > 0 ? this.#steps : undefined)
    if (this.sessionId !== undefined) observation.sessionId = this.sessionId
    if (cost !== undefined) observation.costUsd = cost
    if (turns !== undefined) observation.turns = turns
  }

  #step(part: unknown, read: ReadFields): void {
    this.#steps++
    const cost = isObject(part) ? read(part).get('cost') : undefined
    if (isAmount(cost)) this.#stepsUsd = (this.#stepsUsd ?? 0) + cost
  }
}

/** Stands in the event itself, or in its `usage` or `cost`. */
function totalOf(fields: Fields, read: ReadFields): number | undefined {
  const holders = [
    fields,
    ...['usage', 'cost']
      .map(key => fields.get(key))
      .filter(isObject)
      .map(read),
  ]
  return holders.map(holder => first(holder, COST, isAmount)).find(cost => cost !== undefined)
}

function first<T>(
  fields: Fields,
  names: readonly string[],
  is: (value: unknown) => value is T,
): T | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (is(value)) return value
  }
  return undefined
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
