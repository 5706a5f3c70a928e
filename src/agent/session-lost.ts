import type { Failure } from '../failure/failure.ts'
import { ownFailure } from './own-failure.ts'

/** The failure of a session that can no longer be resumed. Trying to did nothing. */
export function sessionLost(provider: string, message: string): Failure {
  return ownFailure({ kind: 'not_found', rule: 'session_lost', origin: 'lost_session', provider, message })
}

/** True for the failure of a session that its CLI no longer has, or whose folder is gone. */
export function isLostSession(failure: Failure): boolean {
  return failure.origin === 'lost_session'
}
