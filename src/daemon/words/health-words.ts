import type { HealthEvent } from '../../provider/event.ts'
import { timeToJson } from '../../time/time-json.ts'

/** A change in the health of providers, as a sentence. */
export function healthEventInWords(event: HealthEvent): string {
  switch (event.type) {
    case 'breaker.opened':
      return `${whose(event)} gets no calls until ${moment(event.until)}: too many failures`
    case 'breaker.half_open':
      return `${whose(event)} gets one test call`
    case 'breaker.closed':
      return `${whose(event)} serves again`
    case 'blocked':
      return `${scope(event.scope)} is blocked ${event.until === undefined ? 'until cleared' : `until ${moment(event.until)}`}: ${event.failure.message}`
    case 'paced':
      return `${scope(event.scope)} gets no calls until ${moment(event.until)}, then one after another: ${event.failure.message}`
    case 'cleared':
      return `${scope(event.scope)} unblocked, by ${event.by}`
    case 'window.near':
      return `window ${event.use.window} of ${event.quota} is nearly used up`
    case 'window.exhausted':
      return `window ${event.use.window} of ${event.quota} is used up`
    case 'fleet.reached':
      return `the ${event.use.window} ceiling of all providers is reached`
    case 'fleet.rolled':
      return 'usage is below the ceiling of all providers again'
    case 'returned':
      return `${event.provider} serves again instead of ${event.from}`
    case 'paused':
      return `${event.provider} was paused${event.reason === undefined ? '' : `: ${event.reason}`}`
    case 'resumed':
      return `${event.provider} was resumed`
  }
}

function whose({ provider, model }: { provider: string; model?: string }): string {
  return model === undefined ? provider : `${model} of ${provider}`
}

function scope(of: Extract<HealthEvent, { type: 'blocked' }>['scope']): string {
  if ('provider' in of) return `the login of ${of.provider}`
  return of.model === undefined ? of.quota : `model ${of.model} of ${of.quota}`
}

function moment(at: number): string {
  return timeToJson(at).replace(/\.\d+Z$/, 'Z')
}
