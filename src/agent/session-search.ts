import { realpathSync } from 'node:fs'
import type { Environment } from './variables.ts'

/** What is known about a run that ended before it reported its session. */
export interface SessionSearch {
  cwd: string
  env: Environment
  /** When the run began, in epoch milliseconds. */
  sinceMs: number
}

/** A session as a CLI keeps it. */
export interface KeptSession {
  id: string | undefined
  cwd: string | undefined
  /** Epoch milliseconds; undefined if unknown. Read only for sessions in the folder. */
  createdAtMs(): number | undefined
}

/** The one session that began in this folder since then; undefined if there are several, because ours cannot be told. */
export function onlySession(
  { cwd, sinceMs }: SessionSearch,
  sessions: Iterable<KeptSession>,
): string | undefined {
  const folders = new Set<string | undefined>([cwd, realFolder(cwd)])
  const ids = new Set<string>()
  for (const session of sessions) {
    if (session.id === undefined || !folders.has(session.cwd)) continue
    if ((session.createdAtMs() ?? 0) >= sinceMs) ids.add(session.id)
  }
  const [id] = ids
  return ids.size === 1 ? id : undefined
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
