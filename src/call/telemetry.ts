import {
  type Context,
  context,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { CallEvent } from './event.ts'

/** Spans of one call: one for the whole, one for each try within it. */
export class Spans {
  readonly #name: string
  readonly #tracer: Tracer
  readonly #whole: Span
  readonly #inside: Context
  #attempt: Span | undefined

  private constructor(name: string, tracer: Tracer, whole: Span) {
    this.#name = name
    this.#tracer = tracer
    this.#whole = whole
    this.#inside = trace.setSpan(context.active(), whole)
  }

  /** Undefined where the application has no tracer, so that those who do not trace pay nothing for it. */
  static start(name: string): Spans | undefined {
    const tracer = tracerOfApplication()
    const whole = tracer?.startSpan(`mulligan ${name}`)
    return tracer && whole?.isRecording() ? new Spans(name, tracer, whole) : undefined
  }

  /** Runs the work of a try so that the spans it makes lie within that of the try. */
  within<T>(work: () => T): T {
    return this.#attempt ? context.with(trace.setSpan(this.#inside, this.#attempt), work) : work()
  }

  readonly listen = (event: CallEvent): void => {
    switch (event.type) {
      case 'attempt.started': {
        const attributes = defined({ 'mulligan.attempt': event.attempt, 'mulligan.provider': event.provider })
        this.#attempt = this.#tracer.startSpan(`mulligan ${this.#name} attempt`, { attributes }, this.#inside)
        break
      }
      case 'attempt.failed':
        this.#attempt?.setAttributes({
          'mulligan.failure.class': event.failure.class,
          'mulligan.failure.kind': event.failure.kind,
          'mulligan.failure.rule': event.failure.evidence.rule,
          'mulligan.verdict': event.verdict.action,
          'mulligan.verdict.reason': event.verdict.reason,
        })
        this.#attempt?.setStatus({ code: SpanStatusCode.ERROR, message: event.failure.message })
        this.#endAttempt()
        break
      case 'waiting':
        this.#whole.addEvent('waiting', {
          'mulligan.delay_ms': event.delayMs,
          'mulligan.reason': event.reason,
        })
        break
      case 'failed.over':
        this.#whole.addEvent('failed over', defined({ 'mulligan.from': event.from, 'mulligan.to': event.to }))
        break
      case 'settled':
        this.#endAttempt()
        this.#whole.setAttributes(
          defined({
            'mulligan.attempts': event.attempts,
            'mulligan.provider': event.provider,
            'mulligan.cost_usd': event.costUsd ?? undefined,
          }),
        )
        if (event.outcome === 'failed')
          this.#whole.setStatus({ code: SpanStatusCode.ERROR, message: event.error.message })
        this.#whole.end()
    }
  }

  #endAttempt(): void {
    this.#attempt?.end()
    this.#attempt = undefined
  }
}

/**
 * Asked for each time: the application may register its own after this module was loaded. The one that stands in for
 * it until then would make a span of every call, only to say that it records nothing.
 */
function tracerOfApplication(): Tracer | undefined {
  const provider: StandIn = trace.getTracerProvider()
  return provider.getDelegateTracer ? provider.getDelegateTracer('mulligan') : provider.getTracer('mulligan')
}

interface StandIn extends TracerProvider {
  /** Undefined until the application registers its own. */
  getDelegateTracer?(name: string): Tracer | undefined
}

function defined(attributes: Record<string, string | number | undefined>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | number
  >
}
