import { contextFrom, headersOf, loadTracing, tracing } from '../call/tracing.ts'
import type { Trace } from '../ledger/trace.ts'
import type { Submission } from './submission.ts'

/**
 * Stores operations within a span of the application's tracer, with the trace that their runs continue, hours later and in other
 * processes. Without tracing, stores the given trace unchanged.
 * @param action what is done, for the name of the span: `submit`, `hand over`
 */
export function withinSubmitSpan<S extends Submission, T>(
  action: string,
  submissions: readonly S[],
  store: (submissions: readonly S[]) => Promise<T>,
): Promise<T> {
  // Not async itself: every submission pays for each layer of promises.
  const loading = loadTracing()
  if (loading) return loading.then(() => withinSubmitSpan(action, submissions, store))
  const found = tracing()
  return found ? stored(found, action, submissions, store) : store(submissions)
}

async function stored<S extends Submission, T>(
  { api, tracer }: NonNullable<ReturnType<typeof tracing>>,
  action: string,
  submissions: readonly S[],
  store: (submissions: readonly S[]) => Promise<T>,
): Promise<T> {
  const [first] = submissions
  // Submissions of several traces keep their own.
  if (!first || submissions.some(({ trace }) => trace !== first.trace)) return store(submissions)
  const parent = first.trace ? contextFrom(first.trace, api) : api.context.active()
  const attributes = {
    'mulligan.capability': first.capability,
    ...(submissions.length > 1 ? { 'mulligan.operations': submissions.length } : {}),
  }
  const options = { kind: api.SpanKind.PRODUCER, attributes }
  const span = tracer.startSpan(`mulligan ${action} ${first.capability}`, options, parent)
  const trace: Trace = headersOf(span)
  try {
    const traced = submissions.map(submission => ({ ...submission, trace }))
    return await api.context.with(api.trace.setSpan(parent, span), () => store(traced))
  } catch (error) {
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: String((error as Error)?.message ?? error) })
    throw error
  } finally {
    span.end()
  }
}
