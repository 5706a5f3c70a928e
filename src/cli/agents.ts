import { type Agents, agentsFrom, type Chosen, UnknownAgent } from '../agent/index.ts'
import { discoverConfig } from '../config/discover.ts'
import { UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import type { Parts } from './runtime.ts'

/** What commands that run something take from the config. */
export type Configured = Pick<Parts, 'agents' | 'classify'>

/** The config that is found, or named; without one, every known CLI is an agent under its own name. */
export async function configured(flag: string | undefined, terminal: Terminal): Promise<Configured> {
  if (discoverConfig({ flag, env: terminal.env, cwd: terminal.cwd }) === undefined) return WITHOUT_CONFIG
  const { loadFor, partsOf } = await import('./runtime.ts')
  return partsOf(loadFor({ config: flag }, terminal), terminal)
}

const WITHOUT_CONFIG: Configured = {
  agents: agentsFrom({}),
  classify: {
    // Asking the system for its zone costs, and few texts need it.
    get timeZone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone
    },
  },
}

/** The agents that the flags name; one that is not there is wrong usage. */
export function choose(
  agents: Agents,
  flags: { provider?: string | undefined; pool?: string | undefined },
  terminal: Terminal,
): Chosen {
  if (flags.provider !== undefined && flags.pool !== undefined)
    throw new UsageError('--provider and --pool exclude each other')
  try {
    return agents.choose(flags, terminal)
  } catch (error) {
    if (error instanceof UnknownAgent) throw new UsageError(error.message)
    throw error
  }
}
