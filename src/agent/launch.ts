import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { isSessionId } from '../failure/session-id.ts'
import { remedyFor, unknownName } from '../option/check-names.ts'
import { SECRET_KEY_VARIABLE } from '../process/environment.ts'
import { type CommandLine, commandLine, takesPromptAsArgument } from './arguments.ts'
import type { Cli, OwnFiles } from './cli.ts'
import { CLIS } from './clis.ts'
import { type AgentOptions, mergeOptions, OptionError } from './options.ts'
import { ownFailure } from './own-failure.ts'
import type { AgentRequest } from './request.ts'
import { sessionLost } from './session.ts'
import { AGENT_SETTING_NAMES, type AgentSettings } from './settings.ts'
import type { Environment } from './variables.ts'

/** A run that can be started. */
export interface Launch extends Omit<CommandLine, 'env'> {
  cli: Cli
  program: string
  env: Record<string, string | undefined>
  cwd: string
  options: AgentOptions
  /** Undefined if the prompt is an argument. */
  stdin: string | undefined
  /** A variable, and the content of the private file that it names. */
  defaults: ReturnType<NonNullable<Cli['defaults']>>
  /** True if the CLI writes its log only because we asked for it. */
  isLogOurs: boolean
}

/** Works out what to start, without starting it. Returns any problem as a failure. */
export function planLaunch(
  settings: AgentSettings,
  request: AgentRequest,
  outside: { env: Environment; cwd: string },
): Launch | { failure: Failure } {
  try {
    return launchOf(settings, request, outside)
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    const { kind, message } = error
    return { failure: ownFailure({ kind, rule: 'option', provider: settings.id, message }) }
  }
}

function launchOf(
  settings: AgentSettings,
  { prompt, options: requested, session }: AgentRequest,
  { env: ours, cwd: here }: { env: Environment; cwd: string },
): Launch | { failure: Failure } {
  const unknown = unknownName(settings, AGENT_SETTING_NAMES)
  if (unknown !== undefined)
    throw new OptionError(unknown, `no such setting${remedyFor(unknown, AGENT_SETTING_NAMES)}`)
  const cli = CLIS[settings.cli]
  if (!cli) throw new OptionError('cli', `must be one of ${Object.keys(CLIS).join(', ')}`)
  if (typeof prompt !== 'string' || prompt === '')
    throw new OptionError('prompt', 'must be a non-empty string')
  const model = settings.model === undefined ? {} : { model: settings.model }
  const options = mergeOptions({ ...model, ...settings.defaults }, requested, settings.pinned)
  if (options.permissionMode === 'bypassPermissions' && settings.allowDangerous !== true)
    throw new OptionError(
      'permissionMode',
      `bypassPermissions lets the agent do anything; set allowDangerous for provider ${settings.id} to allow it`,
      'dangerous_not_allowed',
    )
  const program = options.binary ?? settings.binary ?? cli.binary
  if (program === '')
    throw new OptionError('binary', `provider ${settings.id} is a command, but names no program`)
  const cwd = resolve(here, session?.cwd ?? options.workingDir ?? '.')
  if (session && !isFolder(cwd))
    return { failure: sessionLost(settings.id, `the folder ${cwd} of session ${session.id} is gone`) }
  if (!isFolder(cwd)) throw new OptionError('workingDir', `${cwd} is not a folder`)
  // The stored id may come from anywhere; an invalid one would be read as an option or a path.
  if (session && !isSessionId(session.id))
    return { failure: sessionLost(settings.id, 'the stored session id is not valid') }
  const own = ownFiles({ ...ours, ...settings.env }, cwd)
  const line = commandLine(cli, settings, options, {
    prompt,
    resume: session?.id ?? options.resume,
    own,
  })
  const environment = environmentFor(cli, settings, ours, line.env)
  if ('failure' in environment) return environment
  const isLogOurs = cli.log !== undefined && !environment.env[cli.log.variable]
  if (cli.log && isLogOurs) environment.env[cli.log.variable] = '1'
  return {
    ...line,
    isLogOurs,
    defaults: cli.defaults?.(own),
    ...environment,
    cli,
    program,
    cwd,
    options,
    stdin: takesPromptAsArgument(cli, settings) ? undefined : prompt,
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

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

/** Reads a CLI's own settings as this environment finds them. */
export function ownFiles(env: OwnFiles['env'], cwd?: string): OwnFiles {
  return {
    env,
    home: env.HOME || homedir(),
    ...present({ cwd }),
    readFile: path => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return undefined
      }
    },
  }
}
