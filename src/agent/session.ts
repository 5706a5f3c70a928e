import type { Failure } from '../failure/failure.ts'
import type { AgentOptions } from './options.ts'
import { ownFailure } from './own-failure.ts'
import type { AgentRequest, AgentSession } from './request.ts'

type Totals = Pick<AgentSession, 'totalUsd' | 'totalUsage'>

const MOST = 1_000
/** What sessions of this process have cost, the newest last: an id alone does not say. */
const known = new Map<string, Totals>()

/** Remembers what a session has cost, for a run that resumes it by its id alone (`options.resume`). */
export function rememberTotals({
  provider,
  id,
  totalUsd,
  totalUsage,
}: Totals & Pick<AgentSession, 'provider' | 'id'>): void {
  const key = keyOf(provider, id)
  known.delete(key)
  known.set(key, { totalUsd, totalUsage })
  for (const oldest of known.keys()) {
    if (known.size <= MOST) return
    known.delete(oldest)
  }
}

/** What the session of a request has cost before; undefined for a new session, or if nobody knows. */
export function totalsBefore(
  provider: string,
  { session }: AgentRequest,
  launch: { options: Pick<AgentOptions, 'resume'> } | undefined,
): Totals | undefined {
  if (session) return session
  const { resume } = launch?.options ?? {}
  return resume === undefined ? undefined : known.get(keyOf(provider, resume))
}

function keyOf(provider: string, id: string): string {
  return `${provider}\u0000${id}`
}

/** The failure of a session that can no longer be resumed. Trying to did nothing. */
export function sessionLost(provider: string, message: string): Failure {
  return ownFailure({ kind: 'not_found', rule: 'session_lost', origin: 'lost_session', provider, message })
}

/** True for the failure of a session that its CLI no longer has, or whose folder is gone. */
export function isLostSession(failure: Failure): boolean {
  return failure.origin === 'lost_session'
}
