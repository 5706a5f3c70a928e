import { isObject, isPlain, ownKeys } from '../observe/read.ts'
import { AI_SDK } from './ai-sdk.ts'
import { CHAT } from './chat.ts'
import { type Finish, finishFrom, meaningOfFinish } from './finish.ts'
import { GEMINI } from './gemini.ts'
import { type EventReading, type Grammar, objectOf, textOf } from './grammar.ts'
import { LANGCHAIN } from './langchain.ts'
import { MESSAGES } from './messages.ts'
import { RESPONSES } from './responses.ts'
import { StreamCut } from './stream-cut.ts'
import { type Used, usedBy, usedSoFar } from './usage.ts'

/** The streams of model APIs and their clients that are known. */
export const GRAMMARS = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  gemini: GEMINI,
  'ai-sdk': AI_SDK,
  langchain: LANGCHAIN,
} as const satisfies Record<string, Grammar>

export type GrammarName = keyof typeof GRAMMARS

/** What an event is to the reader of a stream. */
export type EventRole = 'envelope' | 'content' | 'finish' | 'error'

/** Fields of an event that only reports an error. */
const ERROR_FIELDS = new Set(
  `error type event message code status param object error_type request_id requestId event_id sequence_number
  user_id metadata`.split(/\s+/),
)

/** Longer pieces of an answer, in characters, are few. */
const LONGEST_PIECE = 4_096

/**
 * One stream of a model, event by event: whether it has begun to answer, whether the answer is complete, and what failed.
 * The first event of a known stream decides which grammar is used; a stream of another kind is never judged.
 */
export class StreamReading {
  /** Undefined until an event shows which stream it is. */
  grammar: GrammarName | undefined
  events = 0
  /** True once a part of the answer has come. */
  hasContent = false
  /** True once the answer is complete. */
  isFinished = false
  /** What says that the answer failed; undefined as long as nothing does. */
  failed: unknown
  /** What is special about a complete answer. */
  finish: Finish | undefined
  /** What its events say that it used. */
  used: Used = {}
  readonly #isOfModel: boolean
  readonly #isFinishedOnWire: () => boolean
  #read: ((event: object) => EventReading) | undefined
  #another: RegExp | undefined

  /**
   * @param grammar if it is known before the first event
   * @param isOfModel whether it comes from a model API for sure; then a first event that is only an error is a failure. Others
   * may stream errors as data.
   * @param isFinishedOnWire whether the answer is complete by what came over HTTP, where the events do not show it
   */
  constructor(grammar?: GrammarName, isOfModel = grammar !== undefined, isFinishedOnWire = () => false) {
    this.#isOfModel = isOfModel
    this.#isFinishedOnWire = isFinishedOnWire
    if (grammar) this.#use(grammar)
  }

  /** Reads the next event. */
  take(event: unknown): EventRole {
    this.events++
    if (!isObject(event)) return this.#other()
    // All kinds of streams have pings: one does not show which it is.
    if (!this.#read && textOf(event, 'type') === 'ping') return 'envelope'
    if (!this.#read) this.#recognise(event)
    // Some servers send what others put under `error`.
    if (this.#isError(event)) return this.#fail(isBare(event) ? { error: event } : event)
    if (!this.#read) return this.#other()
    this.used = usedSoFar(this.used, usedBy(event))
    const { isContent = false, finish, failed, isCut } = this.#read(event)
    if (failed !== undefined) return this.#fail(failed)
    if (isCut) {
      if (!this.#isFinishedOnWire())
        return this.#fail(new StreamCut('the stream ended without its finish event'))
      this.done()
      return 'finish'
    }
    if (isContent) this.hasContent = true
    if (finish === undefined) return isContent ? 'content' : 'envelope'
    return this.#finish(finish, event, isContent)
  }

  /** Reads an event by its JSON, if that shows that it is another piece of the answer and nothing else. */
  takeAnother(json: string): boolean {
    if (!this.hasContent || json.length > LONGEST_PIECE || !this.#another?.test(json)) return false
    this.events++
    return true
  }

  /** The mark that ends a stream of events, `[DONE]`. */
  done(): void {
    this.isFinished = true
  }

  /** True if the stream must not end now: it is known, and its answer is not complete. */
  get isOpen(): boolean {
    return (
      this.grammar !== undefined && !this.isFinished && this.failed === undefined && !this.#isFinishedOnWire()
    )
  }

  /** An event of a stream that is not known. */
  #other(): 'content' {
    this.hasContent = true
    return 'content'
  }

  #finish(word: string, event: object, isContent: boolean): EventRole {
    if (meaningOfFinish(word) === 'failed') return this.#fail(event)
    this.isFinished = true
    this.finish ??= finishFrom(word)
    return isContent ? 'content' : 'finish'
  }

  #fail(said: unknown): 'error' {
    this.failed ??= said
    return 'error'
  }

  #recognise(event: object): void {
    for (const name of Object.keys(GRAMMARS) as GrammarName[])
      if (GRAMMARS[name].recognises(event)) {
        this.#use(name)
        return
      }
  }

  #use(name: GrammarName): void {
    this.grammar = name
    const known: Grammar = GRAMMARS[name]
    this.#read = known.begin()
    this.#another = known.another
  }

  /** True for an event that says the answer failed, as all vendors and servers write it. */
  #isError(event: object): boolean {
    if (!isPlain(event)) return false
    if (this.grammar !== undefined) return isBare(event) || (textOf(event, 'type') === '' && saysError(event))
    if (!this.#isOfModel || !(saysError(event) || textOf(event, 'type') === 'error')) return false
    return ownKeys(event, 32).every(key => ERROR_FIELDS.has(key))
  }
}

function saysError(event: object): boolean {
  return (
    objectOf(event, 'error') !== undefined ||
    textOf(event, 'error') !== '' ||
    textOf(event, 'object') === 'error'
  )
}

function isBare(event: object): boolean {
  return textOf(event, 'object') === 'error'
}
