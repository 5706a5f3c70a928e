import { agentProblems } from '../agent/check-options-of.ts'
import { lookingHealthSettings } from '../agent/health-from-config.ts'
import { capabilityProblems, knownCapabilities } from '../capability/from-config.ts'
import { promptCapabilities } from '../capability/prompt-capability.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { ConfigError, type Problem } from '../config/error.ts'
import type { LoadedConfig } from '../config/loaded.ts'
import { checkSettings } from '../provider/check-settings.ts'
import { scheduleProblems } from './cron-from-config.ts'

/** What a config is checked against. */
export interface ConfigCheckDeps {
  env: Readonly<Record<string, string | undefined>>
  /** Base folder of relative paths if there is no config file. */
  cwd: string
  /** The data folder; nothing is written to it. */
  folder: string
}

/**
 * Every mistake that prevents a daemon from starting with this config, beyond what reading it finds: options that no agent takes,
 * capabilities that cannot be made, schedules that do not match them. `serve` calls it before it starts, and `config check` uses
 * nothing else, so neither refuses what the other accepts. Loads no module and starts no program: mistakes that only a module's
 * code can reveal appear when it is loaded.
 */
export async function configProblems(
  loaded: LoadedConfig,
  { env, cwd, folder }: ConfigCheckDeps,
): Promise<Problem[]> {
  const problems = [...agentProblems(loaded), ...(await capabilityProblems(loaded, cwd))]
  if (problems.length > 0) return problems
  const { registry, ofModules, mayHaveMore } = await knownCapabilities(loaded, cwd)
  for (const capability of promptCapabilities(async () => undefined))
    registry.add(capability, 'mulligan itself')
  const schedules = await scheduleProblems(loaded, registry, new Secrets({ folder, env }), {
    isComplete: ofModules.length === 0 && !mayHaveMore,
  })
  return [...schedules, ...healthProblems(loaded, env)]
}

/** Throws a {@link ConfigError} with every mistake that {@link configProblems} finds. */
export async function checkConfig(loaded: LoadedConfig, deps: ConfigCheckDeps): Promise<void> {
  const problems = await configProblems(loaded, deps)
  if (problems.length > 0) throw new ConfigError(loaded.file ?? 'mulligan.toml', problems)
}

/** Settings that health itself refuses; its message names the provider and what would be right. */
function healthProblems(loaded: LoadedConfig, env: ConfigCheckDeps['env']): Problem[] {
  try {
    checkSettings(lookingHealthSettings(loaded, { env }))
    return []
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return [{ file: loaded.file ?? 'mulligan.toml', path: '', message: error.message }]
  }
}
