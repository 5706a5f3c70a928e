import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { run } from '../process/run.ts'
import { realTime, type Time } from '../time/time.ts'
import { findBinary } from './binary.ts'
import type { Login, LoginSources } from './cli.ts'
import { CLIS } from './clis.ts'
import { environmentFor, ownFiles } from './launch.ts'
import type { AgentSettings } from './settings.ts'
import { askVersion, tooOld } from './version.ts'

/** A problem with a provider, and the command or step that fixes it. */
export interface Complaint {
  /** The kind of failure that a run would end with. */
  kind: Failure['kind']
  message: string
  fix: string
}

/** The state of a provider. Usable unless there is a complaint. */
export interface Checkup {
  provider: string
  cli: string
  usable: boolean
  /** The path of the program. */
  binary?: string
  version?: string
  /** The oldest supported version. */
  minVersion: string
  login?: Login
  /** What was checked. */
  checked?: readonly string[]
  /** What only a paid call can show. */
  notChecked?: readonly string[]
  complaints: readonly Complaint[]
}

/** How long the CLI has to report its login state, in milliseconds. */
const ASK_TIMEOUT_MS = 30_000

/** Checks whether a provider could serve a run, without a call that costs anything. */
export async function examine(
  settings: AgentSettings,
  outside: {
    env: Readonly<Record<string, string | undefined>>
    cwd: string
    time?: Time
    signal?: AbortSignal
  },
): Promise<Checkup> {
  const cli = CLIS[settings.cli]
  const minVersion = settings.minVersion ?? cli.minVersion
  const name = settings.binary ?? cli.binary
  const checkup = { provider: settings.id, cli: cli.name, minVersion }
  const binary = findBinary(name, { path: outside.env.PATH, cwd: outside.cwd })
  if (binary === undefined) {
    const message = name === '' ? 'no program is named' : `program ${name} not found, or not executable`
    return {
      ...checkup,
      usable: false,
      complaints: [{ kind: 'binary_not_found', message, fix: cli.install }],
    }
  }
  const complaints: Complaint[] = []
  const environment = environmentFor(cli, settings, outside.env, cli.env(settings))
  if ('failure' in environment) {
    const { kind, message } = environment.failure
    return { ...checkup, usable: false, binary, complaints: [{ kind, message, fix: 'set the variable' }] }
  }
  const started = { ...outside, env: environment.env }
  const argv: [string, ...string[]] = [binary, ...(settings.args ?? [])]
  const version =
    cli.name === 'command' ? undefined : await versionOf(settings, argv, started, minVersion, complaints)
  const login = await cli.login(sources(argv, started, settings))
  if (login.state === 'missing')
    complaints.push({
      kind: 'auth',
      message: login.why ?? 'not logged in, and no key is set',
      fix: cli.loginCommand,
    })
  return {
    ...checkup,
    usable: complaints.length === 0,
    binary,
    ...present({ version }),
    login,
    ...scopeOf(cli.name === 'command', login),
    complaints,
  }
}

/** What the checkup covered, and what only a paid call can tell. */
function scopeOf(isCommand: boolean, login: Login): Pick<Checkup, 'checked' | 'notChecked'> {
  const told = login.state === 'present' && login.isTold === true
  return {
    checked: [
      'the program exists',
      ...(isCommand ? [] : ['its version']),
      ...(login.state === 'present'
        ? [told ? `it says it is logged in (${login.by})` : `${login.by} is set up`]
        : []),
    ],
    notChecked: [
      ...(login.state === 'unsure' ? [`its login: ${login.why}`] : []),
      ...(login.state === 'present' ? ['that the vendor accepts the login'] : []),
      'that the model exists and its limits allow calls',
    ],
  }
}

type Started = Parameters<typeof examine>[1] & { env: Record<string, string | undefined> }

async function versionOf(
  { id, cli }: AgentSettings,
  argv: [string, ...string[]],
  started: Started,
  minVersion: string,
  complaints: Complaint[],
): Promise<string | undefined> {
  const asked = await askVersion(id, argv, started)
  const failure = 'failure' in asked ? asked.failure : tooOld(id, asked.version, minVersion)
  if (failure) complaints.push({ kind: failure.kind, message: failure.message, fix: CLIS[cli].install })
  return 'version' in asked ? asked.version : undefined
}

function sources(argv: [string, ...string[]], started: Started, settings: AgentSettings): LoginSources {
  return {
    settings,
    now: (started.time ?? realTime).now(),
    ...ownFiles(started.env, started.cwd),
    ask: async args => {
      try {
        return await run({ ...started, argv: [...argv, ...args], timeoutMs: ASK_TIMEOUT_MS })
      } catch {
        return { exitCode: null, stdout: '' }
      }
    },
  }
}
