import type { Terminal } from '../terminal.ts'
import { UsageError } from './arguments.ts'

/** The variable with an agent's session, which owns the operations submitted in it. */
export const SESSION_VARIABLE = 'MULLIGAN_SESSION'

/** Help text for the flag. */
export const SESSION_USAGE = `  --session S       the session to notify (mulligan inbox); default: ${SESSION_VARIABLE}`

/** The session of a command, from the flag or the environment; undefined if it has none. */
export function sessionOf(flag: string | undefined, { env }: Pick<Terminal, 'env'>): string | undefined {
  const [from, session] = flag === undefined ? [SESSION_VARIABLE, env[SESSION_VARIABLE]] : ['--session', flag]
  if (session === undefined || (flag === undefined && session === '')) return undefined
  if (session === '' || session.length > 200 || /[\s\x00-\x1f\x7f]/.test(session))
    throw new UsageError(
      `${from} takes the name of a session without spaces, at most 200 characters, not ${JSON.stringify(session.slice(0, 80))}`,
    )
  return session
}
