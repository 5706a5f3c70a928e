import type { Launch } from './launch.ts'
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
  launch: Pick<Launch, 'options'> | undefined,
): Totals | undefined {
  if (session) return session
  const { resume } = launch?.options ?? {}
  return resume === undefined ? undefined : known.get(keyOf(provider, resume))
}

function keyOf(provider: string, id: string): string {
  return `${provider}\u0000${id}`
}
