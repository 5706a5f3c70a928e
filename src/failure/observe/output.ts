import type { AgentProfile, TextProfile } from '../cli/profile.ts'
import { PROFILES } from '../cli/profiles.ts'
import { endFrom } from '../text/cut.ts'
import {
  isErrorLine,
  isLoneComplaint,
  isStopNotice,
  LONGEST_NOTICE,
  lastComplaint,
  lastWords,
} from './notice.ts'
import { ANSWER } from './observation.ts'
import { isList, isObject } from './read.ts'
import type { Stream } from './stream.ts'
import { mayBeData, meaningOfValue } from './value.ts'
import type { Walk } from './walk.ts'

const PLAIN_ERROR = /^\W{0,6}(?:fatal |api |(?:llm |model )?provider |llm )?error: /i
const STREAMS = ['stderr', 'stdout'] as const
type Where = (typeof STREAMS)[number]

/** Reads both streams of a process together, and tells the words of the failure from those of the work. */
export class Output {
  worked: boolean
  readonly #walk: Walk
  readonly #agent: AgentProfile | undefined
  readonly #streams: Record<Where, Stream>

  constructor(walk: Walk, stdout: Stream, stderr: Stream, agent: AgentProfile | undefined) {
    this.#walk = walk
    this.#agent = agent
    this.#streams = { stdout, stderr }
    this.worked = stdout.worked || stderr.worked
  }

  /** For a success: reads only the problems met on the way, which the answer does not mention. */
  readOnTheWay(): void {
    this.#readRetryEvents()
    for (const where of STREAMS)
      this.#walk.sortedText(this.#streams[where].lines.banners, where, { late: true })
    this.#walk.sortedText(closingLines(this.#streams.stderr.lines.final, true), 'stderr', { late: true })
  }

  /** For exit code 0 with one JSON document as output: true if the document reports a failure. */
  readDocument(): boolean {
    const { stdout, stderr } = this.#streams
    const isSilent = stdout.document === undefined && stdout.lines.final.trim() === ''
    const where = isSilent ? 'stderr' : 'stdout'
    const document = isSilent ? stderr.document : stdout.document
    const read = (value: object) => this.#walk.fields(value)
    if (document === undefined || (!isList(document) && mayBeData(read(document)))) return false
    const meaning = meaningOfValue(document, read)
    if (meaning.says !== 'failed') return false
    this.readOnTheWay()
    this.#walk.read(meaning.content, where, { depth: 1 })
    return true
  }

  /** For exit code 0 without a telling event: true if the last words report a failure after all. */
  readLastWords(): boolean {
    this.readOnTheWay()
    const stdout = this.#streams.stdout.lines.final
    const stderr = this.#streams.stderr.lines.final
    const isSilent = stdout.trim() === '' && !this.#streams.stdout.isRecord
    const onStdout = lastWords(stdout, this.#agent?.notices) ?? (this.#isNotice(stdout) ? stdout : undefined)
    const onStderr =
      lastWords(stderr, this.#agent?.notices) ??
      lastComplaint(stderr, this.#agent?.notices, isSilent) ??
      (isSilent && stderr.trim() === ''
        ? lastComplaint(this.#streams.stderr.lines.late, this.#agent?.notices, true)
        : undefined)
    const failure = onStdout ?? onStderr ?? (isSilent && this.#isWhySilent(stderr) ? stderr : undefined)
    if (failure !== undefined) {
      this.#walk.read(failure, failure === onStdout ? 'stdout' : 'stderr')
      return true
    }
    // A longer text is an answer, no matter what it talks about.
    const answer = isSilent ? stderr : stdout
    if (answer.trim().length <= LONGEST_NOTICE) this.#walk.sortedText(answer, isSilent ? 'stderr' : 'stdout')
    return false
  }

  #isWhySilent(stderr: string): boolean {
    return isStopNotice(stderr, this.#agent?.notices?.openings) || isLoneComplaint(stderr)
  }

  /** An agent's answer may name an error; it does not begin with the bare word. */
  #isNotice(text: string): boolean {
    return (
      isStopNotice(text, this.#agent?.notices?.openings) ||
      (isErrorLine(text) && (this.#agent === undefined || PLAIN_ERROR.test(text)))
    )
  }

  /** For a failure: reads the events that report it, then the texts, which count less if an event reported it. */
  readFailure(ended: Stream['ended'], isKilled: boolean): void {
    this.#readRetryEvents()
    const isTold = this.#readEvents() && ended === 'failed'
    const isProse = this.#isAnswerOnStdout()
    this.worked ||= isProse
    this.#readText('stderr', { isTold, isProse: false, isKilled })
    this.#readText('stdout', { isTold, isProse, isKilled })
  }

  #readRetryEvents(): void {
    this.#readAll(stream => stream.retries, true)
  }

  /** True if the events say more than that the run failed. */
  #readEvents(): boolean {
    this.#readAll(stream => stream.failures)
    if (STREAMS.some(where => this.#streams[where].failures.some(isTelling))) return true
    this.#readAll(stream => stream.overcome, true)
    this.#readAll(stream => stream.data)
    return false
  }

  #readAll(pick: (stream: Stream) => readonly unknown[], late = false): void {
    for (const where of STREAMS) {
      for (const content of pick(this.#streams[where])) {
        const place = this.#streams[where].answers.has(content) ? `${where}.${ANSWER}` : where
        this.#walk.read(content, place, { depth: 1, late })
      }
    }
  }

  /** If the failure is on stderr, stdout is part of the answer. */
  #isAnswerOnStdout(): boolean {
    if (!this.#agent?.failsOnStderr) return false
    return STREAMS.every(where => this.#streams[where].lines.final.trim() !== '')
  }

  #readText(
    where: Where,
    { isTold, isProse, isKilled }: { isTold: boolean; isProse: boolean; isKilled: boolean },
  ): void {
    const { lines, quoted } = this.#streams[where]
    const error = finalError(lines.final, this.#agent?.text)
    const late = isTold || isProse
    this.worked ||= showsWork(lines.final, this.#agent?.text)
    if (lines.timerFired) this.#walk.named('frame=timer', { where, depth: 0, late: false })
    for (const content of quoted) this.#walk.read(content, where, { depth: 1, late, quoted: true })
    // The report describes the same failure as the event, in more words.
    const report = isTold ? errorReport(lines.final, this.#agent?.text) : undefined
    if (report !== undefined) this.#walk.sortedText(report, where)
    else this.#walk.sortedText(error ?? closingLines(lines.final, isKilled), where, { late })
    this.#walk.sortedText(isTold || error !== undefined ? lines.banners : lines.late, where, { late: true })
  }
}

/** False for an end event that gives no reason. */
function isTelling(content: unknown): boolean {
  if (!isObject(content)) return typeof content === 'string' && content.trim() !== ''
  const { message, errors, error, data, detail } = content as Record<string, unknown>
  if (isList(errors) && (errors as unknown[]).length > 0) return true
  return [message, error, data, detail].some(value =>
    typeof value === 'string' ? value.trim() !== '' : isObject(value),
  )
}

/**
 * Reads transcripts that agents print for people: the task, the answer, tools and their output. All of it may quote
 * anything, so only its end can tell why a run failed.
 */

const LONGEST_REPORT = 60

/** The last error report at the end of a text; undefined if the agent prints none. */
function errorReport(text: string, profile: TextProfile | undefined): string | undefined {
  const opening = profile?.errorReport
  return opening && endFrom(text, opening, LONGEST_REPORT)
}

const LONGEST_ERROR = 40

/** The final error at the end of a transcript; undefined if the agent marks none. */
function finalError(text: string, profile: TextProfile | undefined): string | undefined {
  const opening = profile?.finalError
  return opening && endFrom(text, opening, LONGEST_ERROR)
}

/** How a transcript begins, for any CLI. */
const OPENING = new RegExp(PROFILES.flatMap(({ text }) => text?.opening?.source ?? []).join('|'), 'm')
const CLOSING_LINES = 6

/** The part of a text that can tell why a program ended, if the program marks no final error. */
function closingLines(text: string, isKilled: boolean): string {
  if (!OPENING.test(text)) return text
  return isKilled ? '' : text.trimEnd().split('\n').slice(-CLOSING_LINES).join('\n')
}

/** True if a transcript shows that the agent had begun to work. */
function showsWork(text: string, profile: TextProfile | undefined): boolean {
  return profile?.work?.test(text) ?? false
}
