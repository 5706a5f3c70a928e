import { throttleHint } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { isResponse, returnedField } from '../failure/observe/read.ts'
import type { SignatureMap } from '../failure/signature-map.ts'
import type { Time } from '../time/time.ts'
import type { ProviderHealth, Tried } from './provider-health.ts'
import { reportedIn } from './reported.ts'
import { markWithoutCall } from './without-call.ts'

/** The call whose answer is read. */
interface Answered extends Tried {
  provider: string
  of: ProviderHealth
}

/** Where an answer keeps its headers. */
const HEADERS_IN = ['headers', 'response'] as const

/** Records what an answer says about the vendor's windows. */
export function learnWindows({ of, model }: Answered, seen: unknown, time: Time): void {
  try {
    const reported = reportedIn(seen, time.now())
    if (reported.length > 0) of.quota.windows.learn(reported, model)
  } catch {
    // Unreadable values say nothing; the call still succeeded.
  }
}

/** Reads what a successful call returned: a response's headers, or a program's output. */
export function readAnswer(
  call: Answered,
  value: object,
  signatures: SignatureMap | undefined,
  time: Time,
): void {
  try {
    // Most answers have none of these, and this check costs less than reading them.
    if (!('headers' in value || 'response' in value || 'stdout' in value)) return
    // A getter may do anything: start a request, or create a promise that is never awaited.
    const isOutput = typeof returnedField(value, 'stdout') === 'string'
    if (!isOutput && HEADERS_IN.every(field => returnedField(value, field) === undefined)) return
    learnWindows(call, value, time)
    if (isOutput) recordLimitMet(call, value, signatures, time)
  } catch {
    // A value with unreadable fields says nothing.
  }
}

/** True for a program's output, or for a throttle that was already read from it. */
export function isOutputOrThrottle(seen: unknown): seen is object {
  return (
    typeof seen === 'object' &&
    seen !== null &&
    !isResponse(seen) &&
    (typeof returnedField(seen, 'stdout') === 'string' || returnedField(seen, 'class') === 'throttle')
  )
}

/** Some programs succeed after hitting a limit on the way. The limit still applies to the next call. */
export function recordLimitMet(
  call: Answered,
  seen: object,
  signatures: SignatureMap | undefined,
  time: Time,
): void {
  try {
    const { of, provider, model } = call
    const now = time.now()
    const isOutput = typeof returnedField(seen, 'stdout') === 'string'
    const failure = isOutput ? throttleHint(seen, { provider, model, signatures, now }) : (seen as Failure)
    if (!failure) return
    const mark = markWithoutCall(failure, now, of.standing(failure, call, now))
    of.failed(failure, { ...mark, breaker: 'none' }, now, { ...call, probe: undefined })
  } catch {
    // Unreadable values say nothing.
  }
}
