import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { TokenUsage } from '../failure/stream/usage.ts'
import type { CallEvent } from './event.ts'
import { failureAttributes, genAiAttributes } from './gen-ai.ts'
import { type Api, known, type Tracing } from './tracing.ts'

/** The parts of an event that say who answered, and what that used. */
interface Answered {
  provider: string | undefined
  model: string | undefined
  usage: TokenUsage | undefined
}

/** Spans of one call: one for the whole call, one for each try within it. */
export class Spans {
  readonly #name: string
  readonly #tracer: Tracer
  readonly #whole: Span
  readonly #inside: Context
  readonly #api: Api
  #attempt: Span | undefined

  private constructor(name: string, tracer: Tracer, whole: Span, api: Api) {
    this.#name = name
    this.#tracer = tracer
    this.#whole = whole
    this.#api = api
    this.#inside = api.trace.setSpan(api.context.active(), whole)
  }

  /** Undefined if the tracer does not record this call. */
  static start(name: string, { api, tracer }: Tracing): Spans | undefined {
    const whole = tracer.startSpan(`mulligan ${name}`)
    return whole.isRecording() ? new Spans(name, tracer, whole, api) : undefined
  }

  /** Runs the work of a try so that its spans lie within the try's span. */
  within<T>(work: () => T): T {
    const { context, trace } = this.#api
    return this.#attempt ? context.with(trace.setSpan(this.#inside, this.#attempt), work) : work()
  }

  readonly listen = (event: CallEvent): void => {
    switch (event.type) {
      case 'attempt.started': {
        const attributes = known({ 'mulligan.attempt': event.attempt, 'mulligan.provider': event.provider })
        const kind = this.#api.SpanKind.CLIENT
        const options = { attributes, kind }
        this.#attempt = this.#tracer.startSpan(`mulligan ${this.#name} attempt`, options, this.#inside)
        break
      }
      case 'attempt.failed':
        this.#attempt?.setAttributes({
          ...genAiAttributes({
            provider: event.provider ?? event.failure.provider,
            model: event.model ?? event.failure.model,
            sessionId: event.failure.sessionId,
            usage: event.usage,
          }),
          ...failureAttributes(event.failure),
          ...known({
            'mulligan.verdict': event.verdict.action,
            'mulligan.verdict.reason': event.verdict.reason,
            'mulligan.cost_usd': event.costUsd,
          }),
        })
        this.#attempt?.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: event.failure.message })
        this.#endAttempt()
        break
      case 'waiting':
        this.#whole.addEvent('waiting', {
          'mulligan.delay_ms': event.delayMs,
          'mulligan.reason': event.reason,
        })
        break
      case 'failed.over':
        this.#whole.addEvent('failed over', known({ 'mulligan.from': event.from, 'mulligan.to': event.to }))
        break
      case 'stream.ended':
        this.#answered(event)
        this.#whole.setAttributes(known({ 'mulligan.cost_usd': event.costUsd }))
        if (event.outcome === 'failed')
          this.#attempt?.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: String(event.error) })
        this.#endAttempt()
        this.#whole.end()
        break
      case 'settled':
        if (event.outcome === 'succeeded') this.#answered(event)
        // What a stream used is known at its end.
        if (event.outcome !== 'succeeded' || !event.isStream) this.#endAttempt()
        this.#whole.setAttributes(
          known({
            'mulligan.attempts': event.attempts,
            'mulligan.provider': event.provider,
            'mulligan.cost_usd': event.costUsd,
          }),
        )
        if (event.outcome === 'failed')
          this.#whole.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: event.error.message })
        if (event.outcome !== 'succeeded' || !event.isStream) this.#whole.end()
    }
  }

  /** What is known of an answer. */
  #answered({ provider, model, usage }: Answered): void {
    this.#attempt?.setAttributes(genAiAttributes({ provider, model, usage }))
  }

  #endAttempt(): void {
    this.#attempt?.end()
    this.#attempt = undefined
  }
}
