import { admitParams } from '../capability/check-params.ts'
import type { CapabilityRegistry } from '../capability/registry.ts'
import type { Secrets } from '../capability/secret/secrets.ts'
import { ConfigError, type Problem } from '../config/error.ts'
import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { positionOf } from '../config/position-of.ts'
import { nearestOrKnown } from '../option/nearest.ts'
import type { CronSchedule } from './cron-schedule.ts'

/**
 * The schedules of a config. Reading the config has checked what the file alone shows; this also checks them against the
 * capabilities of modules. Throws a {@link ConfigError} with the place of every mistake.
 */
export async function schedulesOf(
  loaded: TrustedConfig,
  registry: CapabilityRegistry,
  secrets: Secrets,
): Promise<readonly CronSchedule[]> {
  const problems = await scheduleProblems(loaded, registry, secrets)
  if (problems.length > 0) throw new ConfigError(loaded.file ?? 'mulligan.toml', problems)
  return loaded.config.schedules
}

/**
 * What is wrong with the schedules of a config, each with its place.
 * @param isComplete whether the registry includes the capabilities of modules; if not, a missing capability is no mistake,
 * because a module may add it. Default true.
 */
export async function scheduleProblems(
  loaded: LoadedConfig,
  registry: CapabilityRegistry,
  secrets: Secrets,
  { isComplete = true }: { isComplete?: boolean } = {},
): Promise<Problem[]> {
  const { schedules } = loaded.config
  const problems: Problem[] = []
  for (const [index, schedule] of schedules.entries()) {
    const mistake = (key: string, message: string) =>
      problems.push({
        ...positionOf(loaded, [`schedules[${index}].${key}`, `schedules[${index}].capability`]),
        path: `schedule[${index}].${key}`,
        message: `schedule ${JSON.stringify(schedule.name)}: ${message}`,
      })
    const capability = registry.get(schedule.capability)
    if (!capability) {
      if (!isComplete) continue
      const remedy = nearestOrKnown(schedule.capability, registry.names)
      mistake('capability', `there is no capability ${JSON.stringify(schedule.capability)}; ${remedy}`)
      continue
    }
    const { params } = schedule
    const bare = capability.secrets.filter(name => params[name] !== undefined && !isReference(params[name]))
    for (const name of bare)
      mistake(
        `params.${name}`,
        `params.${name} is secret: it must be "env:NAME"; the secret itself does not belong in the config`,
      )
    // Only references, so checking seals nothing.
    const admitted = bare.length > 0 ? undefined : await admitParams(capability, params, secrets)
    if (admitted?.admitted === false)
      for (const problem of admitted.problems)
        mistake(
          `params.${/^[\w-]+/.exec(problem)?.[0]}`,
          `the parameters are invalid for capability ${JSON.stringify(capability.name)}: ${problem}`,
        )
  }
  return problems
}

function isReference(value: unknown): boolean {
  return typeof value === 'string' && /^env:[A-Za-z_]\w*$/.test(value)
}
