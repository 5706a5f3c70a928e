import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export const LEDGER_NAME = 'ledger.db'

/**
 * The ledger's file in a data folder: the one given, else `mulligan` in the user's XDG state folder.
 */
export function ledgerFile(
  data: string | undefined,
  env: Record<string, string | undefined>,
  cwd: string,
): string {
  if (data !== undefined) return resolve(cwd, data, LEDGER_NAME)
  const state = env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state')
  return join(state, 'mulligan', LEDGER_NAME)
}
