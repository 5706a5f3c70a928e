import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentCli } from '../config/agent-clis.ts'
import { CLIS } from './clis.ts'
import type { Environment } from './variables.ts'

/** A proxy on the way has its own login, which is part of its address. */
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * A text that identifies the login of an agent CLI: its folder, when its files last changed, and the keys in its environment. It
 * changes with a new login. Only its hash may be stored.
 * @param env what the CLI sees
 * @returns undefined for a program whose login place is unknown
 */
export function loginTrace(cli: AgentCli, env: Environment): string | undefined {
  const place = CLIS[cli].loginPlace
  if (!place) return undefined
  const { home, files, variables } = place
  const folder = home(env, env.HOME || homedir())
  return JSON.stringify([
    folder,
    files.map(file => changeOf(join(folder, file))),
    [...variables, ...PROXIES].map(name => env[name] ?? null),
  ])
}

function changeOf(file: string): readonly number[] | null {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? [stat.mtimeMs, stat.size] : null
}
