import { context, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import type { CallEvent } from './event.ts'

/**
 * A listener that turns the events of one call into spans, one for the call and one for each try within it; or
 * undefined where the application has no tracer, so that those who do not trace pay nothing for it.
 */
export function spansOf(name: string): ((event: CallEvent) => void) | undefined {
  const tracer = trace.getTracer('mulligan')
  const whole = tracer.startSpan(`mulligan ${name}`)
  if (!whole.isRecording()) return undefined
  const inside = trace.setSpan(context.active(), whole)
  let attempt: Span | undefined
  return event => {
    switch (event.type) {
      case 'attempt.started':
        attempt = tracer.startSpan(
          `mulligan ${name} attempt`,
          { attributes: defined({ 'mulligan.attempt': event.attempt, 'mulligan.provider': event.provider }) },
          inside,
        )
        break
      case 'attempt.failed':
        attempt?.setAttributes({
          'mulligan.failure.class': event.failure.class,
          'mulligan.failure.kind': event.failure.kind,
          'mulligan.failure.rule': event.failure.evidence.rule,
          'mulligan.verdict': event.verdict.action,
          'mulligan.verdict.reason': event.verdict.reason,
        })
        attempt?.setStatus({ code: SpanStatusCode.ERROR, message: event.failure.message })
        attempt?.end()
        attempt = undefined
        break
      case 'waiting':
        whole.addEvent('waiting', { 'mulligan.delay_ms': event.delayMs, 'mulligan.reason': event.reason })
        break
      case 'failed.over':
        whole.addEvent('failed over', defined({ 'mulligan.from': event.from, 'mulligan.to': event.to }))
        break
      case 'settled':
        attempt?.end()
        whole.setAttributes(
          defined({
            'mulligan.attempts': event.attempts,
            'mulligan.provider': event.provider,
            'mulligan.cost_usd': event.costUsd ?? undefined,
          }),
        )
        if (event.outcome === 'failed')
          whole.setStatus({ code: SpanStatusCode.ERROR, message: event.error.message })
        whole.end()
        break
    }
  }
}

function defined(attributes: Record<string, string | number | undefined>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | number
  >
}
