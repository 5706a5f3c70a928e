import type { ServerResponse } from 'node:http'
import type { CallFailed } from '../../call/call-failed.ts'
import type { ModelApi } from '../../config/model-apis.ts'
import { refusalOf } from '../../sdk/fetch/refusal.ts'
import { deliver } from './deliver.ts'
import { HoldEnded } from './holds.ts'
import type { StreamKind } from './in-vendor-words.ts'
import type { FailedTry } from './question-kinds.ts'
import { tell } from './tell.ts'

/** What is known about a question that ends without an answer. */
export interface Unanswered {
  api: ModelApi
  stream: StreamKind | undefined
  /** Whether anything of an answer was passed on. */
  hasBegun: boolean
  /** Whether the client knows best if to ask again. */
  mayAskAgain: boolean
}

/** Says why there is no answer, or no more of it, as the client's vendor would. */
export async function tellFailed(to: ServerResponse, error: CallFailed, about: Unanswered): Promise<void> {
  const { api, stream, hasBegun, mayAskAgain } = about
  const refusal = refusalOf(error)
  const told = { class: error.failure.class, status: refusal.status, message: error.message }
  if (to.headersSent) {
    if (!hasBegun) told.message = messageIn(await refusal.text()) ?? told.message
    // What the upstream said in its own words about its end has been passed on already.
    const isSaid = hasBegun && !(error.cause instanceof Error)
    if (hasBegun && !isSaid && stream === 'messages') cut(to)
    else if (stream && isSaid) to.end()
    else tell(to, api, told, stream)
    return
  }
  if (mayAskAgain) refusal.headers.delete('x-should-retry')
  if (error.cause instanceof Response) await deliver(refusal, to)
  else tell(to, api, told, stream, Object.fromEntries(refusal.headers))
}

/** The failure of a question whose answer the vendor may keep already. What a call could be told does not help a client. */
export function unsureAnswer(error: CallFailed): CallFailed {
  if (!error.refusedRepeat) return error
  const why = 'the vendor may keep an answer, so it is not asked twice; questions with "store": false are'
  return Object.assign(error, { message: `${error.failure.message} (${why})` })
}

/**
 * The failure of a wait that was ended: it tells what it was for.
 * @param waitedFor what it waited for, in words, if nobody was asked: then a block stood before all providers
 */
export function endedWait(
  error: CallFailed,
  reason: unknown,
  last: FailedTry | undefined,
  waitedFor: string | undefined,
): CallFailed {
  if (!(reason instanceof HoldEnded)) return error
  if (!last) {
    if (waitedFor === undefined) return error
    const failure = { ...error.failure, class: 'throttle', kind: 'rate_limit' } as const
    return Object.assign(error, { failure, message: `${waitedFor} (${reason.message})` })
  }
  const { failure, verdict } = last
  return Object.assign(error, { failure, verdict, message: `${failure.message} (${reason.message})` })
}

/**
 * Ends a stream without its last piece, after what was written: Claude Code asks again after a connection that was cut, and gives
 * up after an event that says so.
 */
function cut(to: ServerResponse): void {
  to.socket?.end()
}

/** The reason in an error of any vendor. */
function messageIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : undefined
  } catch {
    return undefined
  }
}
