import type { Attributes, Context, Span, Tracer, TracerProvider } from '@opentelemetry/api'

/** The API that spans are made with. */
export type Api = typeof import('@opentelemetry/api')

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

/** What spans are made with; undefined where the application has no tracer, so that those who do not trace pay nothing. */
export function tracing(): { api: Api; tracer: Tracer } | undefined {
  const tracer = api && tracerOfApplication(api)
  return api && tracer ? { api, tracer } : undefined
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

/** A trace in the words of W3C Trace Context, as it is stored and sent. */
export interface TraceHeaders {
  traceparent: string
  tracestate?: string
}

/** Where in which trace a span stands, for others to go on from. */
export function headersOf(span: Span): TraceHeaders {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const state = traceState?.serialize()
  const flags = traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state ? { tracestate: state } : {}) }
}

/** The place in a trace that was stored or sent, as the parent of what comes next. */
export function contextFrom({ traceparent, tracestate }: TraceHeaders, { trace, ...rest }: Api): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return trace.setSpanContext(rest.ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: rest.createTraceState(tracestate) }),
  })
}

/** Attributes that are known. */
export function known(attributes: Record<string, string | number | boolean | null | undefined>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  ) as Attributes
}
