import { AgentEvent, NO_TYPE } from '../failure/cli/event.ts'
import { meaningOf } from '../failure/cli/events.ts'
import type { EventMeaning } from '../failure/cli/meaning.ts'
import type { AgentProfile } from '../failure/cli/profile.ts'
import type { Cli } from './cli.ts'
import { LineSplitter } from './line-splitter.ts'
import type { RunProgress } from './run-progress.ts'

/** Reads what a CLI prints into the progress of its run. The output of an unknown program is not interpreted. */
export class OutputReader {
  readonly #cli: Cli
  readonly #progress: RunProgress
  readonly #onEvent: () => void
  readonly #stdout: LineSplitter
  readonly #stderr: LineSplitter

  /** @param onEvent called after each event */
  constructor(cli: Cli, progress: RunProgress, onEvent: () => void) {
    this.#cli = cli
    this.#progress = progress
    this.#onEvent = onEvent
    this.#stdout = new LineSplitter(
      line => this.#readLine(line),
      () => {
        progress.brokenLines++
      },
    )
    this.#stderr = new LineSplitter(line => cli.watchText?.(line, progress))
  }

  readonly push = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (!this.#cli.profile) return
    if (stream === 'stdout') this.#stdout.push(chunk)
    else this.#stderr.push(chunk)
  }

  end(): void {
    this.#stdout.end()
    this.#stderr.end()
  }

  #readLine(line: string): void {
    if (!line.startsWith('{')) {
      if (line.trim() !== '') this.#progress.plainLines++
      this.#cli.watchText?.(line, this.#progress)
      return
    }
    let event: unknown
    try {
      event = JSON.parse(line)
    } catch {
      this.#progress.brokenLines++
      return
    }
    if (this.#cli.profile) followEvent(this.#cli.profile, event as object, this.#progress)
    this.#onEvent()
  }
}

/** Adds one JSON event of a running CLI to the progress of its run. */
export function followEvent(profile: AgentProfile, value: object, progress: RunProgress): void {
  const event = new AgentEvent(value, fieldsOf)
  if (profile.sessionField !== undefined)
    progress.sessionId = event.text(profile.sessionField) ?? progress.sessionId
  if (!isKnown(profile, event)) {
    progress.unknownEvents++
    return
  }
  const meaning = meaningOf(event)
  progress.end.take(meaning)
  if (profile.resultEvents?.includes(event.type)) progress.hasResult = true
  const work = profile.work?.[event.type]?.(event)
  if (work) progress.work(work)
  else if (meaning.role === 'worked') progress.work({ did: 'progress' })
  // Read after the outcome: a run that has answered is no longer stopped for its cost.
  const spending = profile.spending?.[event.type]?.(event)
  if (spending) progress.spend(spending)
  retryIn(meaning, progress)
}

const fieldsOf = (value: object) => new Map(Object.entries(value))

function isKnown({ outcome, spending, work, otherEvents }: AgentProfile, event: AgentEvent): boolean {
  const { type } = event
  const reader = [outcome, spending, work].find(table => table !== undefined && Object.hasOwn(table, type))
  if (reader === undefined) return otherEvents?.includes(type) ?? false
  // An untyped event is known only if one of the readers recognises it.
  return type !== NO_TYPE || [outcome, spending, work].some(table => table?.[type]?.(event) !== undefined)
}

function retryIn(meaning: EventMeaning, progress: RunProgress): void {
  if (meaning.role === 'retrying') {
    const { content, cause = content, delayMs, hasAnotherWay } = meaning
    progress.selfRetried({ cause, delayMs, hasAnotherWay })
  } else if (meaning.role === 'failed' && meaning.asksAgain) {
    progress.selfRetried({ cause: meaning.content })
  }
}
