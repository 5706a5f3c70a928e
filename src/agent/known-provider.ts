import { AGENT_CLIS } from '../config/agent-clis.ts'
import type { Config } from '../config/schema/config.ts'
import { nearest } from '../option/nearest.ts'
import { UnknownName } from '../option/unknown-name.ts'
import type { Health } from '../provider/health.ts'
import { isOwnKey, isSurface } from '../provider/provider-name.ts'
import type { ProviderStatus } from '../provider/provider-status.ts'

/** The state of a configured or used provider, or of an agent CLI. Throws an {@link UnknownName}. */
export async function statusOfKnown(health: Health, config: Config, id: string): Promise<ProviderStatus> {
  await health.ready()
  const known = new Set([...(await health.status()).map(status => status.id), ...builtInAgents(config)])
  if (!known.has(id)) {
    const named = [...known].filter(each => !isSurface(each) && !isOwnKey(each))
    const guess = nearest(id, [...known])
    throw new UnknownName(
      `unknown provider ${JSON.stringify(id)}; ${guess ? `did you mean "${guess}"?` : `known: ${named.join(', ')}`}`,
    )
  }
  // Registers a provider that is neither configured nor used yet.
  health.provider(id)
  return (await health.status()).find(status => status.id === id) as ProviderStatus
}

/** Each known CLI under its own name, unless the config uses that name; `command` needs a program. */
function builtInAgents({ providers }: Config): string[] {
  return AGENT_CLIS.filter(cli => cli !== 'command' && !providers.some(({ id }) => id === cli))
}
