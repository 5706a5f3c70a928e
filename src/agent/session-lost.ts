import type { Failure } from '../failure/failure.ts'
import { ownFailure } from './own-failure.ts'

const RULE = 'session_lost'

/** The failure of a session that can no longer be continued. Nothing was begun by trying. */
export function sessionLost(provider: string, message: string): Failure {
  return ownFailure({ kind: 'not_found', rule: RULE, provider, message })
}

/** True for the failure of a session that its CLI no longer has, or whose folder is gone. */
export function isLostSession(failure: Failure): boolean {
  return failure.evidence.rule === `agent:${RULE}`
}
