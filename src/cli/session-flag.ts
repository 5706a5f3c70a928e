import { UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'

/** The variable that names the session of an agent; what is submitted in it belongs to it. */
export const SESSION_VARIABLE = 'MULLIGAN_SESSION'

/** For the usage of commands. */
export const SESSION_USAGE = `  --session S       the session that wants to hear how it went (mulligan inbox); default: ${SESSION_VARIABLE}`

/** The session that a command belongs to: by flag, else by environment; undefined if it belongs to none. */
export function sessionOf(flag: string | undefined, { env }: Pick<Terminal, 'env'>): string | undefined {
  const [from, session] = flag === undefined ? [SESSION_VARIABLE, env[SESSION_VARIABLE]] : ['--session', flag]
  if (session === undefined || (flag === undefined && session === '')) return undefined
  if (session === '' || session.length > 200 || /[\s\x00-\x1f\x7f]/.test(session))
    throw new UsageError(
      `${from} takes the name of a session without spaces, at most 200 characters, not ${JSON.stringify(session.slice(0, 80))}`,
    )
  return session
}
