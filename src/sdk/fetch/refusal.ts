import type { CallFailed } from '../../call/call-failed.ts'
import type { FailureClass } from '../../failure/failure.ts'
import { isResponse } from '../../failure/observe/read.ts'

/** The status of a failure that came without one. */
const STATUS: Readonly<Record<FailureClass, number>> = {
  throttle: 429,
  transient: 503,
  timeout: 504,
  permanent: 400,
  rail: 402,
  aborted: 499,
  unknown: 502,
}

/**
 * What a client is told when nobody answered: the last endpoint's own response, so that the client throws the error it always
 * does; or one that says what happened. Either way the client is told not to try again, because all that could help was tried.
 * @param mayAskAgain true if what could help is to wait, and the client waits better by itself
 */
export function refusalOf(error: CallFailed, mayAskAgain = false): Response {
  const { failure, verdict, cause } = error
  const response = given(cause) ?? made(error)
  if (!mayAskAgain) response.headers.set('x-should-retry', 'false')
  response.headers.set('x-mulligan-failure', `${failure.class}/${failure.kind}`)
  response.headers.set('x-mulligan-verdict', verdict.action)
  return response
}

function given(cause: unknown): Response | undefined {
  if (!(cause instanceof Response) || !isResponse(cause) || cause.status < 400 || cause.bodyUsed)
    return undefined
  return new Response(cause.body, cause)
}

function made({ failure, verdict, message }: CallFailed): Response {
  const { kind, status = STATUS[failure.class], resetAt, retryAfterMs } = failure
  const until = verdict.action === 'snooze' ? verdict.until : resetAt
  const waitMs = retryAfterMs ?? (until === undefined ? undefined : until - Date.now())
  // The fields in which the clients of OpenAI, Anthropic and Google look for the reason.
  const body = { type: 'error', error: { type: kind, code: kind, status: kind, message } }
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (waitMs !== undefined && waitMs > 0) headers['retry-after'] = String(Math.ceil(waitMs / 1_000))
  return new Response(JSON.stringify(body), {
    status: status >= 400 && status <= 599 ? status : STATUS[failure.class],
    headers,
  })
}
