import { dataOf, elements, isList, isObject, ownKeys } from '../observe/read.ts'

/** What one event of a stream says. An event can be content and finish at once; one that says nothing is envelope. */
export interface EventReading {
  /** It is part of the answer. */
  isContent?: true
  /** The answer is complete: the vendor's word for how it ended, or empty if there is none. */
  finish?: string
  /** The answer failed; what says so. */
  failed?: unknown
  /** The source knows that its own stream was cut, and says so. */
  isCut?: true
}

export const ENVELOPE: EventReading = Object.freeze({})
export const CONTENT: EventReading = Object.freeze({ isContent: true })

/** How the events of one kind of stream are read. */
export interface Grammar {
  /** Matches the JSON of an event that is another piece of the answer, and nothing else. Most are, and need not be parsed. */
  another?: RegExp
  /** True for an event that only this kind of stream has. */
  recognises(event: object): boolean
  /** A reader for one stream; it may remember what it has read. */
  begin(): (event: object) => EventReading
}

export function textOf(event: object, key: string): string {
  const value = dataOf(event, key)
  return typeof value === 'string' ? value : ''
}

export function objectOf(event: object, key: string): object | undefined {
  const value = dataOf(event, key)
  return isObject(value) ? value : undefined
}

/** The objects in a list of alternatives, of which there are few. */
export function listOf(event: object, key: string): object[] | undefined {
  const value = dataOf(event, key)
  return isList(value) ? elements(value, 128).filter(isObject) : undefined
}

/** True for a value that says anything: text, a number, a list or an object that is not empty. */
export function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false
  if (!isObject(value)) return true
  return isList(value) ? elements(value, 1).length > 0 : ownKeys(value, 1).length > 0
}

/** The alternatives of one answer (`n` above 1): it is complete when each that began has ended. */
export class Alternatives {
  readonly #open = new Set<unknown>()
  #hasEnded = false

  /** Notes one piece of an alternative. `finish` is its word for how it ended; empty while it goes on. */
  note(piece: object, finish: string): void {
    const index = dataOf(piece, 'index') ?? 0
    if (finish === '') {
      // A piece after the end of its alternative adds nothing.
      if (!this.#hasEnded) this.#open.add(index)
      return
    }
    this.#open.delete(index)
    this.#hasEnded = true
  }

  get areOver(): boolean {
    return this.#hasEnded && this.#open.size === 0
  }
}

/** The word for how an answer ended. Some servers write "" or "null" until it has. */
export function finishWord(piece: object, key: string): string {
  const word = textOf(piece, key)
  return word === 'null' ? '' : word
}
