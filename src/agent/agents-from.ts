import { AGENT_CLIS, type AgentCli } from '../config/agent-clis.ts'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { remedyFor } from '../option/check-names.ts'
import { findBinary } from './binary.ts'
import { CLIS } from './clis.ts'
import type { AgentSettings } from './settings.ts'
import type { Environment } from './variables.ts'

/** A provider as in a config: an agent if it names a CLI, or has the name of one. */
export interface ConfiguredProvider extends Omit<Partial<AgentSettings>, 'cli'> {
  id: string
  cli?: string
}

/** The part of a config that agents come from. */
export interface AgentConfig {
  providers?: readonly ConfiguredProvider[]
  pools?: readonly { name: string; providers: readonly string[] }[]
}

/** The agents to ask, in order, and why these. */
export interface Chosen {
  agents: readonly AgentSettings[]
  why: string
}

/** A provider or pool that does not exist. The message names those that do. */
export class UnknownAgent extends Error implements MeaningfulError {
  override name = 'UnknownAgent'

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/** Agents by name: those of the config, and each known CLI under its own name unless the config uses it. */
export function agentsFrom(config: AgentConfig): Agents {
  return new Agents(config)
}

export class Agents {
  readonly #agents = new Map<string, AgentSettings>()
  readonly #pools: ReadonlyMap<string, readonly string[]>
  readonly #configured: readonly string[]

  constructor({ providers = [], pools = [] }: AgentConfig) {
    for (const { cli, ...provider } of providers) {
      const name = cli ?? provider.id
      if (isAgentCli(name)) this.#agents.set(provider.id, { ...provider, cli: name })
      else if (cli !== undefined)
        throw new UnknownAgent(
          `provider ${provider.id}: cli must be one of ${AGENT_CLIS.join(', ')}, not ${JSON.stringify(cli)}`,
        )
    }
    this.#configured = [...this.#agents.keys()]
    for (const name of BUILT_IN) if (!this.#agents.has(name)) this.#agents.set(name, { id: name, cli: name })
    this.#pools = new Map(pools.map(pool => [pool.name, pool.providers]))
  }

  /** The agents that the config names. */
  get configured(): readonly AgentSettings[] {
    return this.#configured.map(id => this.#agents.get(id) as AgentSettings)
  }

  /** Agents for the CLIs that the config does not mention. */
  get builtIn(): readonly AgentSettings[] {
    return [...this.#agents.values()].filter(({ id }) => !this.#configured.includes(id))
  }

  /**
   * The agents that serve a call. A pool may also be a comma-separated list of providers. Without either: the agents of the
   * config, else every known CLI that is installed.
   */
  choose(
    { provider, pool }: { provider?: string | undefined; pool?: string | undefined },
    outside: { env: Environment; cwd: string },
  ): Chosen {
    if (provider !== undefined) return { agents: [this.get(provider)], why: `--provider names ${provider}` }
    if (pool !== undefined) return this.#pool(pool)
    if (this.#configured.length > 0)
      return { agents: this.configured, why: 'all agents of the config, in its order' }
    const installed = this.builtIn.filter(({ cli }) =>
      findBinary(CLIS[cli].binary, { path: outside.env.PATH, cwd: outside.cwd }),
    )
    return { agents: installed, why: 'no provider or pool is named, so every installed agent CLI' }
  }

  #pool(name: string): Chosen {
    const members = this.#pools.get(name)
    if (members)
      return { agents: members.map(id => this.get(id)), why: `pool ${name} of the config, in its order` }
    const listed = name.split(',').map(id => id.trim())
    // One unknown name is probably meant as a pool; several can only be providers.
    if (listed.length > 1 || this.#agents.has(name))
      return { agents: [...new Set(listed)].map(id => this.get(id)), why: '--pool lists them' }
    const pools = this.#pools.size > 0 ? [...this.#pools.keys()].join(', ') : 'none in the config'
    throw new UnknownAgent(
      `there is no pool ${JSON.stringify(name)}; pools: ${pools}; or a list such as claude,codex`,
    )
  }

  /** The agent with this name. Throws {@link UnknownAgent}. */
  get(id: string): AgentSettings {
    const settings = this.#agents.get(id)
    if (settings) return settings
    throw new UnknownAgent(`unknown agent ${JSON.stringify(id)}${remedyFor(id, this.#agents.keys())}`)
  }
}

/** Every known CLI; `command` is left out because it needs a program. */
const BUILT_IN = AGENT_CLIS.filter(cli => cli !== 'command')

function isAgentCli(name: string): name is AgentCli {
  return (AGENT_CLIS as readonly string[]).includes(name)
}
