import type { Failure } from '../failure/failure.ts'
import { SECRET_KEY_VARIABLE } from '../process/environment.ts'
import type { Cli } from './cli.ts'
import { ownFailure } from './own-failure.ts'
import type { AgentSettings } from './settings.ts'
import type { Environment } from './variables.ts'

/** A CLI's environment, or the failure that a required variable is not set. Values are never stored. */
export function environmentFor(
  cli: Cli,
  settings: AgentSettings,
  ours: Environment,
  added: Environment,
): { env: Record<string, string | undefined> } | { failure: Failure } {
  const { passEnv, envFrom = {}, credentialEnv } = settings
  const env: Record<string, string | undefined> =
    passEnv === undefined ? { ...ours } : Object.fromEntries(passEnv.map(name => [name, ours[name]]))
  Object.assign(env, settings.env)
  const taken = Object.entries(envFrom)
  if (credentialEnv !== undefined) taken.push([cli.credentialEnv ?? credentialEnv, credentialEnv])
  for (const [theirs, name] of taken) {
    // Mulligan's own key must not be passed on under another name.
    const value = name === SECRET_KEY_VARIABLE ? undefined : ours[name]
    if (value === undefined || value.trim() === '')
      return { failure: missing(settings, name, name === credentialEnv) }
    env[theirs] = value
  }
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  return { env }
}

function missing(settings: AgentSettings, name: string, isCredential: boolean): Failure {
  return ownFailure({
    kind: isCredential ? 'auth' : 'config',
    rule: 'variable_missing',
    provider: settings.id,
    message: `environment variable ${name} is not set, but provider ${settings.id} takes ${isCredential ? 'its key' : 'a value'} from it`,
  })
}
