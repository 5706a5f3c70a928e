import { present } from '../failure/present.ts'
import { quote } from '../failure/quote.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { Policy } from '../verdict/policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import { branded, type Capability, isCapability } from './capability.ts'
import type { WorkContext } from './context.ts'
import type { DeclaredCapability, DeclaredRequest, DeclaredText } from './declared-capability.ts'
import { CapabilityError } from './error.ts'
import { agentCapability, type RunAgent } from './kind/agent-capability.ts'
import { commandCapability } from './kind/command-capability.ts'
import { type DeclaredSettings, declare, type Params } from './kind/declared.ts'
import { httpCapability } from './kind/http-capability.ts'
import { importModule } from './load-modules.ts'
import type { CapabilityRegistry } from './registry.ts'
import { checkSettings, fail } from './settings.ts'

/** What declared capabilities need. */
export interface DeclareOptions {
  /** Folder of the config file. */
  base: string
  /** Runs agent CLIs; required if a table declares an agent. */
  runAgent?: RunAgent
  /** Names the place of a table in messages. Default `[[capability]]`. */
  from?: string
  /** Reload changed modules. Default false. */
  reload?: boolean
}

/** Registers the capabilities that a config declares. Throws a {@link CapabilityError} that names the capability. */
export async function declareCapabilities(
  registry: CapabilityRegistry,
  tables: readonly DeclaredCapability[],
  options: DeclareOptions,
): Promise<void> {
  for (const table of tables)
    registry.add(await capabilityFrom(table, options), options.from ?? '[[capability]]')
}

/** Makes one capability from what a config declares. */
export async function capabilityFrom(
  table: DeclaredCapability,
  options: DeclareOptions,
): Promise<Capability> {
  const kinds = (['argv', 'http', 'agent', 'module'] as const).filter(kind => table[kind] !== undefined)
  if (kinds.length !== 1)
    fail(table.name, `needs exactly one of argv, http, agent or module, not ${kinds.join(' and ') || 'none'}`)
  const settings = settingsOf(table, options.base)
  if (table.http) {
    const { output, refusals } = table
    return httpCapability({
      ...settings,
      ...requestFrom(table.http),
      ...present({ output, refusals }),
    })
  }
  if (table.agent) return agentFrom(table, settings, options)
  if (table.module !== undefined) return moduleFrom(table, settings, options)
  const { env, cwd, stdin, output } = table
  return commandCapability({
    ...settings,
    // Whether the table states it is checked with its other settings.
    retry: settings.retry as RetryPolicy,
    argv: (table.argv ?? []).map(text),
    cwd: cwd ?? '.',
    ...present({ env: env && texts(env), stdin: stdin && text(stdin), output }),
  })
}

function agentFrom(
  table: DeclaredCapability,
  settings: DeclaredSettings,
  { runAgent }: DeclareOptions,
): Capability {
  const { prompt, cwd, resume, worktree, options, jobOptions } = table.agent as NonNullable<
    DeclaredCapability['agent']
  >
  if (!runAgent) fail(table.name, 'is an agent run, but this process cannot run agents')
  return agentCapability({
    ...settings,
    prompt: text(prompt),
    runAgent,
    ...present({ cwd, resumable: resume, worktree, options, jobOptions }),
  })
}

/** A function gets everything from the table. A capability has its own settings; the table only sets its provider and limits. */
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
  checkSettings(given, capability.kind)
  // The provider is set in one place: the table's pool replaces the code's provider, and vice versa.
  const { provider, pool, ...own } = capability
  const serves = 'provider' in given || 'pool' in given
  const kept = serves ? {} : present({ provider, pool })
  return branded({ ...own, ...kept, ...(table.policy && { policy: policyOf(table) }), ...given })
}

function settingsOf(table: DeclaredCapability, base: string): DeclaredSettings {
  const { argv, env, cwd, stdin, output, http, refusals, agent, module, verify, policy, ...settings } =
    present(table)
  return {
    ...settings,
    base,
    ...present({ policy: policy && policyOf(table), verify: verify && verificationOf(verify) }),
  }
}

function verificationOf(table: NonNullable<DeclaredCapability['verify']>) {
  const { argv, http, ...times } = present(table)
  return {
    ...times,
    ...present({ command: argv && { argv: argv.map(text), cwd: '.' }, http: http && requestFrom(http) }),
  }
}

function requestFrom({ method, url, headers, body }: DeclaredRequest) {
  return {
    url: text(url),
    ...present({ method, headers: headers && texts(headers), body: body && text(body) }),
  }
}

function policyOf({ name, policy }: DeclaredCapability): Policy {
  if (policy === 'default') return defaultPolicy
  const known = Object.keys(PRESETS)
  if (policy === undefined || !known.includes(policy))
    fail(name, `policy must be one of default, ${known.join(', ')}, not ${quote(policy)}`)
  return PRESETS[policy]
}

function text(value: DeclaredText): string {
  return typeof value === 'string' ? value : `env:${value.variable}`
}

function texts(values: Readonly<Record<string, DeclaredText>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]))
}
