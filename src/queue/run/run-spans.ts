import type { Context, Span, Tracer } from '@opentelemetry/api'
import { failureAttributes, genAiAttributes } from '../../call/gen-ai.ts'
import { type Api, contextFrom, known, type Tracing } from '../../call/tracing.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Cost } from '../../provider/gate.ts'
import type { NextTry, RunEnd } from './run-end.ts'
import type { Subject } from './subject.ts'

/** What a span shows of a try. */
interface SpanTry {
  readonly provider: string | undefined
  readonly sessionId: string | undefined
  readonly failure: Failure | undefined
  readonly cost: Cost
}

/** Spans of one run: one for the run, one per try, within the trace of its operation. */
export class RunSpans {
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #capability: string
  readonly #whole: Span
  readonly #inside: Context
  #costUsd: number | undefined

  constructor({ api, tracer }: Tracing, { operation, fence }: ClaimedRun) {
    const { capability, id, trace } = operation
    const parent = trace ? contextFrom(trace, api) : api.context.active()
    this.#api = api
    this.#tracer = tracer
    this.#capability = capability
    this.#whole = tracer.startSpan(
      `mulligan run ${capability}`,
      {
        kind: api.SpanKind.CONSUMER,
        attributes: {
          'mulligan.operation': id,
          'mulligan.capability': capability,
          'mulligan.run': fence.run,
          'mulligan.source': operation.source,
        },
      },
      parent,
    )
    this.#inside = api.trace.setSpan(parent, this.#whole)
  }

  /** Runs work of the run so that its spans are children of the run's span. */
  within<T>(work: () => T): T {
    return this.#api.context.with(this.#inside, work)
  }

  /** Starts the span of a try; the try's own spans are its children, and `ended` ends it. */
  try({ capability, model }: Pick<Subject, 'capability' | 'model'>, number: number, tried: SpanTry): TrySpan {
    const { provider, sessionId } = tried
    const isAgent = capability.kind === 'agent'
    const attributes = {
      ...known({ 'mulligan.attempt': number, 'mulligan.provider': provider }),
      ...genAiAttributes({ provider, model, sessionId, isAgent }),
    }
    const name = `mulligan attempt ${this.#capability}`
    const options = { kind: this.#api.SpanKind.CLIENT, attributes }
    const span = this.#tracer.startSpan(name, options, this.#inside)
    return new TrySpan(this.#api, span, this.#api.trace.setSpan(this.#inside, span), cost => {
      this.#costUsd = (this.#costUsd ?? 0) + cost
    })
  }

  /** The run continues with another try. */
  goesOn({ again, last }: NextTry, from: string | undefined): void {
    const attributes = known({ 'mulligan.from': from, 'mulligan.failure.kind': last?.failure.kind })
    this.#whole.addEvent(again === undefined ? 'failed over' : 'trying again', attributes)
  }

  /** The run has ended, and so does its span. */
  ended(end: RunEnd): void {
    const verdict = end.end === 'settled' ? end.verdict : undefined
    const dueAt = end.end === 'settled' ? end.settled : end
    this.#whole.setAttributes(
      known({
        'mulligan.outcome': verdict?.action ?? end.end,
        'mulligan.verdict.rule': verdict?.rule,
        'mulligan.verdict.reason': verdict?.reason,
        'mulligan.due_at':
          'dueAt' in dueAt && dueAt.dueAt !== undefined ? new Date(dueAt.dueAt).toISOString() : undefined,
        'mulligan.cost_usd': this.#costUsd,
      }),
    )
    if (verdict) this.#fails(verdict.reason)
    this.#whole.end()
  }

  /** The run broke, which is a bug in the queue. */
  broke(error: unknown): void {
    this.#fails(error instanceof Error ? error.message : String(error))
    this.#whole.end()
  }

  /** The caller of `queue.run` gets no result: a runner continues later. */
  handedOver(end: RunEnd): void {
    const verdict = end.end === 'settled' ? end.verdict : undefined
    if (!verdict || verdict.action === 'cancel') return
    const attributes = { 'mulligan.verdict': verdict.action, 'mulligan.verdict.reason': verdict.reason }
    const options = { kind: this.#api.SpanKind.PRODUCER, attributes }
    this.#tracer.startSpan(`mulligan hand over ${this.#capability}`, options, this.#inside).end()
  }

  #fails(message: string): void {
    this.#whole.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
  }
}

/** The span of one try. */
export class TrySpan {
  readonly #api: Api
  readonly #span: Span
  readonly #inside: Context
  readonly #onCost: (costUsd: number) => void

  constructor(api: Api, span: Span, inside: Context, onCost: (costUsd: number) => void) {
    this.#api = api
    this.#span = span
    this.#inside = inside
    this.#onCost = onCost
  }

  /** Runs the work so that its spans are children of the try's span. */
  within<T>(work: () => T): T {
    return this.#api.context.with(this.#inside, work)
  }

  /** The try has ended, and its outcome is known. */
  ended({ failure, cost, sessionId }: Pick<SpanTry, 'failure' | 'cost' | 'sessionId'>): void {
    const costUsd = cost.costUsd ?? failure?.costUsd
    if (costUsd !== undefined && costUsd !== null) this.#onCost(costUsd)
    this.#span.setAttributes({
      ...known({
        'mulligan.cost_usd': costUsd,
        'mulligan.turns': failure?.turns,
        'gen_ai.conversation.id': failure?.sessionId ?? sessionId,
      }),
      ...(failure ? failureAttributes(failure) : {}),
    })
    if (failure) this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: failure.message })
    this.#span.end()
  }
}
