import type { Context, Span, Tracer, TracerProvider } from '@opentelemetry/api'
import type { CallEvent } from './event.ts'

type Api = typeof import('@opentelemetry/api')

let api: Api | undefined

/** Where the first version of OpenTelemetry's API keeps what an application registers with it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/**
 * Loads what spans are made with once the application has registered a tracer: those who do not trace do not load it.
 * Undefined where there is nothing to wait for.
 */
export function loadTracing(): Promise<void> | undefined {
  if (api) return undefined
  const registered = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED]
  if (registered?.trace === undefined) return undefined
  return import('@opentelemetry/api').then(
    loaded => {
      api = loaded
    },
    // Without it there are no spans, and calls go on.
    () => {},
  )
}

/** Spans of one call: one for the whole, one for each try within it. */
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

  /** Undefined where the application has no tracer, so that those who do not trace pay nothing for it. */
  static start(name: string): Spans | undefined {
    if (!api) return undefined
    const tracer = tracerOfApplication(api)
    const whole = tracer?.startSpan(`mulligan ${name}`)
    return tracer && whole?.isRecording() ? new Spans(name, tracer, whole, api) : undefined
  }

  /** Runs the work of a try so that the spans it makes lie within that of the try. */
  within<T>(work: () => T): T {
    const { context, trace } = this.#api
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
          this.#whole.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: event.error.message })
        this.#whole.end()
    }
  }

  #endAttempt(): void {
    this.#attempt?.end()
    this.#attempt = undefined
  }
}

/**
 * Looked up each time: the application may register its tracer after this module was loaded. The placeholder until
 * then would make a span for every call that records nothing.
 */
function tracerOfApplication({ trace }: Api): Tracer | undefined {
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
