import { type Agents, agentsFrom, type Chosen, UnknownAgent } from '../../agent/agents-from.ts'
import { discoverConfig } from '../../config/discover.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import { UsageError } from '../flag/arguments.ts'
import type { Terminal } from '../terminal.ts'
import { ensureTrusted } from './ensure-trusted.ts'

/** The agents of the trusted config; without a config, every known CLI under its own name. */
export async function configuredAgents(flag: string | undefined, terminal: Terminal): Promise<Agents> {
  if (isAbsent(flag, terminal)) return agentsFrom({})
  const { loadFor } = await import('./runtime.ts')
  const { actingPartsOf } = await import('../../daemon/config-parts.ts')
  const loaded = await ensureTrusted(loadFor({ config: flag }, terminal), terminal)
  return actingPartsOf(loaded, terminal).agents
}

/** Classifier settings of the config. Using them starts nothing, so the config need not be trusted. */
export async function configuredClassify(flag: string | undefined, terminal: Terminal): Promise<Classify> {
  if (isAbsent(flag, terminal)) return WITHOUT_CONFIG
  const { loadFor } = await import('./runtime.ts')
  const { partsOf } = await import('../../daemon/config-parts.ts')
  return partsOf(loadFor({ config: flag }, terminal)).classify
}

/** Classifier settings of the config and its labels. A missing or unreadable ledger has no labels. */
export async function learnedClassify(flag: string | undefined, terminal: Terminal): Promise<Classify> {
  const { withRuntime } = await import('./runtime.ts')
  const options = { absent: 'keep_out', onNoState: () => {} } as const
  return withRuntime({ config: flag }, terminal, options, async ({ classify }) => classify)
}

function isAbsent(flag: string | undefined, { env, cwd }: Terminal): boolean {
  return discoverConfig({ flag, env, cwd }) === undefined
}

type Classify = Partial<Pick<ClassifyContext, 'signatures' | 'timeZone'>>

const WITHOUT_CONFIG: Classify = {
  // A getter, because finding the system's zone is slow and few texts need it.
  get timeZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone
  },
}

/** The agents named by the flags; an unknown one is a usage error. */
export function choose(
  agents: Agents,
  flags: { provider?: string | undefined; pool?: string | undefined },
  terminal: Terminal,
): Chosen {
  if (flags.provider !== undefined && flags.pool !== undefined)
    throw new UsageError('use --provider or --pool, not both')
  try {
    return agents.choose(flags, terminal)
  } catch (error) {
    if (error instanceof UnknownAgent) throw new UsageError(error.message)
    throw error
  }
}
