import { type BackoffName, PRESETS, type PresetName } from '../verdict/index.ts'
import { branded, type Capability, isCapability } from './capability.ts'
import type { WorkContext } from './context.ts'
import type { DeclaredParams } from './declared-params.ts'
import { CapabilityError } from './error.ts'
import { type AgentOption, agentCapability, type RunAgent } from './kind/agent-capability.ts'
import { commandCapability } from './kind/command-capability.ts'
import { type DeclaredSettings, declare, type Params } from './kind/declared.ts'
import { httpCapability } from './kind/http-capability.ts'
import type { Method } from './kind/request.ts'
import { importModule } from './load-modules.ts'
import type { CapabilityRegistry } from './registry.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { checkSettings, fail, quote } from './settings.ts'

/** A text of a config: itself, or a reference that writes itself as `env:NAME`. */
export type DeclaredText = string | { readonly variable: string }

export interface DeclaredRequest {
  method?: Method | Lowercase<Method>
  url: DeclaredText
  headers?: Readonly<Record<string, DeclaredText>>
  body?: DeclaredText
}

/** A `[[capability]]` table of the config, in TypeScript's words. Exactly one of argv, http, agent and module. */
export interface DeclaredCapability {
  name: string
  description?: string
  argv?: readonly DeclaredText[]
  /** For commands: variables set for the program. */
  env?: Readonly<Record<string, DeclaredText>>
  /** For commands: folder it runs in, relative to the config file. */
  cwd?: string
  /** For commands: text for stdin. */
  stdin?: DeclaredText
  /** For commands and requests: what the result is. */
  output?: 'text' | 'json'
  http?: DeclaredRequest
  agent?: {
    prompt: DeclaredText
    cwd?: string
    resume?: boolean
    worktree?: boolean
    options?: Readonly<Record<string, AgentOption>>
  }
  /** Path of a module and the name of its export: `./work.ts#deploy`. Without a name, the default export. */
  module?: string
  params?: DeclaredParams
  retry?: RetryPolicy
  verify?: {
    argv?: readonly DeclaredText[]
    http?: DeclaredRequest
    delayMs?: number
    timeoutMs?: number
  }
  provider?: string
  pool?: string
  policy?: PresetName
  timeoutMs?: number
  leaseMs?: number
  concurrency?: number
  priority?: number
  maxRetries?: number
  backoff?: BackoffName
  retryForMs?: number
}

export interface DeclareOptions {
  /** Folder of the config file. */
  base: string
  /** Runs agent CLIs; needed where a table declares an agent. */
  runAgent?: RunAgent
  /** Names the place of a table in messages. Default `[[capability]]`. */
  from?: string
  /** Read changed modules anew. Default false. */
  reload?: boolean
}

/** Registers what a config declares. Throws a {@link CapabilityError} that names the capability. */
export async function declareCapabilities(
  registry: CapabilityRegistry,
  tables: readonly DeclaredCapability[],
  options: DeclareOptions,
): Promise<void> {
  for (const table of tables)
    registry.add(await capabilityFrom(table, options), options.from ?? '[[capability]]')
}

/** One capability from what a config declares. */
export async function capabilityFrom(
  table: DeclaredCapability,
  options: DeclareOptions,
): Promise<Capability> {
  const kinds = (['argv', 'http', 'agent', 'module'] as const).filter(kind => table[kind] !== undefined)
  if (kinds.length !== 1)
    fail(table.name, `needs exactly one of argv, http, agent or module, not ${kinds.join(' and ') || 'none'}`)
  const settings = settingsOf(table, options.base)
  if (table.http) {
    const { output } = table
    return httpCapability({ ...settings, ...requestFrom(table.http), ...(output && { output }) })
  }
  if (table.agent) return agentFrom(table, settings, options)
  if (table.module !== undefined) return moduleFrom(table, settings, options)
  const { env, cwd, stdin, output } = table
  return commandCapability({
    ...settings,
    argv: (table.argv ?? []).map(text),
    ...(env && { env: texts(env) }),
    ...(stdin !== undefined && { stdin: text(stdin) }),
    cwd: cwd ?? '.',
    ...(output && { output }),
  })
}

function agentFrom(
  table: DeclaredCapability,
  settings: DeclaredSettings,
  { runAgent }: DeclareOptions,
): Capability {
  const { prompt, cwd, resume, worktree, options } = table.agent as NonNullable<DeclaredCapability['agent']>
  if (!runAgent) fail(table.name, 'is an agent run, and this process cannot run agents')
  return agentCapability({
    ...settings,
    prompt: text(prompt),
    runAgent,
    ...(cwd !== undefined && { cwd }),
    ...(resume !== undefined && { resumable: resume }),
    ...(worktree !== undefined && { worktree }),
    ...(options && { options }),
  })
}

/** A function gets everything from the table; a capability brings its own, and the table only says who serves it and its limits. */
async function moduleFrom(
  table: DeclaredCapability,
  settings: DeclaredSettings,
  options: DeclareOptions,
): Promise<Capability> {
  const [path = '', name = 'default'] = (table.module as string).split('#')
  const exported = (await importModule(path, options))[name]
  if (isCapability(exported)) return withTable(exported, table)
  if (typeof exported !== 'function')
    throw new CapabilityError(
      `capability ${quote(table.name)}: module ${path} must export ${quote(name)} as a function or a capability, not ${quote(exported)}`,
    )
  const work = exported as (params: Params, context: WorkContext) => unknown
  return declare('function', settings, () => ({
    variables: [],
    problems: () => [],
    run: async (params, context) => await work(params, context),
  }))
}

const OF_THE_TABLE = [
  'name',
  'description',
  'provider',
  'pool',
  'timeoutMs',
  'leaseMs',
  'concurrency',
  'maxRetries',
  'backoff',
  'retryForMs',
] as const

function withTable(capability: Capability, table: DeclaredCapability): Capability {
  const given = Object.fromEntries(
    OF_THE_TABLE.flatMap(key => (table[key] === undefined ? [] : [[key, table[key]]])),
  )
  checkSettings(given, [])
  // Who serves it is said in one place: the table's pool replaces the code's provider, and the reverse.
  const { provider, pool, ...own } = capability
  const serves = 'provider' in given || 'pool' in given
  const kept = serves ? {} : { ...(provider && { provider }), ...(pool && { pool }) }
  return branded({ ...own, ...kept, ...(table.policy && { policy: PRESETS[table.policy] }), ...given })
}

function settingsOf(table: DeclaredCapability, base: string): DeclaredSettings {
  const { argv, env, cwd, stdin, output, http, agent, module, verify, policy, ...settings } = table
  return {
    ...settings,
    base,
    ...(policy && { policy: PRESETS[policy] }),
    ...(verify && { verify: verificationOf(verify) }),
  }
}

function verificationOf({ argv, http, ...times }: NonNullable<DeclaredCapability['verify']>) {
  return {
    ...times,
    ...(argv && { command: { argv: argv.map(text), cwd: '.' } }),
    ...(http && { http: requestFrom(http) }),
  }
}

function requestFrom({ method, url, headers, body }: DeclaredRequest) {
  return {
    url: text(url),
    ...(method && { method }),
    ...(headers && { headers: texts(headers) }),
    ...(body !== undefined && { body: text(body) }),
  }
}

function text(value: DeclaredText): string {
  return typeof value === 'string' ? value : `env:${value.variable}`
}

function texts(values: Readonly<Record<string, DeclaredText>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]))
}
