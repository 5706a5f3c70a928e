import type { Attributes, Context, Span, Tracer, TracerProvider } from '@opentelemetry/api'

/** The API that makes spans. */
export type Api = typeof import('@opentelemetry/api')

let api: Api | undefined

/** Where version 1 of OpenTelemetry's API keeps what an application registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/**
 * Loads the tracing API once the application has registered a tracer; otherwise it is never loaded. Undefined if there is
 * nothing to wait for.
 */
export function loadTracing(): Promise<void> | undefined {
  if (api) return undefined
  const registered = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED]
  if (registered?.trace === undefined) return undefined
  return load()
}

/** Without the API there are no spans; calls work as usual. */
async function load(): Promise<void> {
  // Caught by this try and no other way: webpack refuses to bundle a program that lacks the package, unless its import is in one.
  try {
    api = await import('@opentelemetry/api')
  } catch {}
}

/** The tracing API and the application's tracer. */
export interface Tracing {
  api: Api
  tracer: Tracer
}

/** Undefined if the application has no tracer: then tracing costs nothing. */
export function tracing(): Tracing | undefined {
  const tracer = api && tracerOfApplication(api)
  return api && tracer ? { api, tracer } : undefined
}

/**
 * Looked up each time, because the application may register its tracer after this module was loaded. The placeholder until then
 * would make a span for every call and record nothing.
 */
function tracerOfApplication({ trace }: Api): Tracer | undefined {
  const provider: StandIn = trace.getTracerProvider()
  return provider.getDelegateTracer ? provider.getDelegateTracer('mulligan') : provider.getTracer('mulligan')
}

interface StandIn extends TracerProvider {
  /** Undefined until the application registers its own. */
  getDelegateTracer?(name: string): Tracer | undefined
}

/** A trace as W3C Trace Context headers, for storing and sending. */
export interface TraceHeaders {
  traceparent: string
  tracestate?: string
}

/** A span's position in its trace, for others to continue. */
export function headersOf(span: Span): TraceHeaders {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const state = traceState?.serialize()
  const flags = traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state ? { tracestate: state } : {}) }
}

/** A stored or received position in a trace, as the parent of what comes next. */
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

/** The attributes whose value is known. */
export function known(attributes: Record<string, string | number | boolean | null | undefined>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  ) as Attributes
}
