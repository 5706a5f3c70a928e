import { failureOfTryElsewhere } from '../capability/whole-try.ts'
import type { Failure } from '../failure/failure.ts'
import { classifyRecorded } from '../failure/recorded.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { ParkedOperation } from '../ledger/operation.ts'
import { pagesOf } from '../ledger/pages.ts'
import type { RejudgeOrigin } from '../ledger/rejudgement.ts'
import type { EndingVerdict } from '../ledger/settlement.ts'
import { isSucceeded } from '../verdict/succeeded.ts'
import type { QueueDeps } from './queue-deps.ts'
import { afterFailureOfOperation } from './run/act.ts'
import { outlookAfter } from './run/admission.ts'
import { durableJudge } from './run/judge.ts'
import { type Subject, subjectOf } from './run/subject.ts'

const EVENTS: readonly EventType[] = ['labelled', 'label_withdrawn', 'parked']
const PAGE = 200
/** How long to wait after a change, to handle many at once, in milliseconds. */
const GATHER_MS = 200

/**
 * Rejudges operations that are parked for a label, once a label or the config recognises their failure. Checks all of them at its
 * start, so that nothing waits for a killed process.
 */
export class Rejudger {
  readonly #deps: QueueDeps
  readonly #reader: EventReader
  /** The check of everything: in progress, or done. Undefined before it, and after it failed. */
  #sweeping: Promise<void> | undefined
  #isClosed = false
  /** Fingerprints that nothing recognises, for one version of the labels. */
  #unknown = { version: '', seen: new Set<string>() }

  constructor(deps: QueueDeps) {
    this.#deps = deps
    const { ledger, time, report } = deps
    this.#reader = new EventReader({
      ledger,
      time,
      types: EVENTS,
      gatherMs: GATHER_MS,
      onError: error => report({ about: 'queue', error }),
      handle: events => this.#happened(events),
    })
  }

  /** Something was written: soon checks whether it was a label. */
  soon(): void {
    this.#reader.soon()
  }

  /** Moves nothing more. Settles when moves in progress are done. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reader.stop()
    await this.#sweeping
  }

  /** Judges again what it can: everything the first time, later only what labels or parks concern. Never rejects. */
  async look(): Promise<void> {
    await this.#reader.look()
    // Events only report what happens after the reader has begun.
    if (this.#reader.position === undefined || this.#isClosed) return
    this.#sweeping ??= this.#sweep('config').catch(error => {
      this.#sweeping = undefined
      this.#deps.report({ about: 'queue', error })
    })
    await this.#sweeping
  }

  async #happened(events: readonly LedgerEvent[]): Promise<void> {
    // Whichever process reads the labels first, this one judges what is parked on them.
    if (events.some(({ type }) => type !== 'parked')) return this.#sweep('label')
    for (const { operation, data } of events)
      if (data?.for === 'label' && operation !== undefined && !this.#isClosed) await this.#one(operation)
  }

  async #one(id: string): Promise<void> {
    const operation = await this.#deps.ledger.get(id)
    if (operation?.state === 'parked' && operation.parkedFor === 'label')
      await this.#judge(operation, 'label')
  }

  async #sweep(by: RejudgeOrigin): Promise<void> {
    const { ledger, registry, learned } = this.#deps
    await learned.read(ledger)
    if (registry.names.length === 0) return
    const filter = { parkedFor: 'label', capability: registry.names } as const
    for await (const operations of pagesOf(page => ledger.list(filter, page), PAGE))
      for (const operation of operations) {
        if (this.#isClosed) return
        if (operation.state === 'parked') await this.#judge(operation, by)
      }
  }

  async #judge(operation: ParkedOperation, by: RejudgeOrigin): Promise<void> {
    const { ledger, engine, learned, registry } = this.#deps
    const { version } = learned
    if (this.#unknown.version !== version) this.#unknown = { version, seen: new Set() }
    const parkedOn = operation.failure?.fingerprint
    if (parkedOn === undefined || !registry.get(operation.capability)) return
    const attempts = await ledger.attempts(operation.id)
    const last = attempts.at(-1)
    const provider = last?.provider ?? last?.failure?.provider ?? ''
    // By the provider that failed: of two operations with the same providers, each may be parked on a different one.
    const key = `${provider} ${parkedOn}`
    if (this.#unknown.seen.has(key)) return
    const reclassified =
      last?.failure && classifyRecorded(last.failure, learned.get(provider), this.#deps.time.now())
    if (!last?.failure || !reclassified) {
      this.#unknown.seen.add(key)
      return
    }
    const found = await subjectOf(this.#deps, operation)
    if (!found.subject) return
    const whole = ofTry(found.subject, last.failure, reclassified.failure)
    const verdict = await this.#verdictOn(operation, found.subject, whole, last.provider)
    if (verdict === undefined || (verdict.action === 'park' && verdict.for === 'label')) return
    await engine.rejudge(operation.id, {
      parkedOn: { fingerprint: parkedOn },
      verdict,
      failure: whole,
      by: reclassified.by === 'label' ? 'label' : by,
    })
  }

  /** Decides as the run that parked it did at its end. Its provider's health counted the failure then, as an unknown one. */
  async #verdictOn(
    operation: ParkedOperation,
    subject: Subject,
    failure: Failure,
    provider: string | undefined,
  ): Promise<EndingVerdict | undefined> {
    const deps = this.#deps
    const judge = durableJudge(deps, subject.capability, { ...operation })
    const tried = new Set(provider === undefined ? [] : [provider])
    const failedTry = { failure, cause: undefined, permit: undefined, tried, isLifted: false }
    const decided = await afterFailureOfOperation({ deps, subject, judge }, failedTry, async () => {
      const { otherProviderAvailable } = await outlookAfter({ deps, subject }, tried, failure)
      return { otherProviderAvailable }
    })
    if (isSucceeded(decided)) return undefined
    const { verdict } = decided
    if (verdict.action !== 'failover') return verdict
    return { action: 'retry', delayMs: 0, mode: 'again', reason: verdict.reason, rule: verdict.rule }
  }
}

/**
 * The failure with the effect of its whole try. The recorded effect stands: a label describes one failure, and a try with several
 * requests may have done something before it.
 */
function ofTry({ capability: { kind, retry } }: Subject, before: Failure, failure: Failure): Failure {
  if (failure.effect !== 'none' || before.effect === 'none') return failure
  return failureOfTryElsewhere({ kind, retry, atomic: false }, failure, { isBegun: true, isSeen: false })
}
