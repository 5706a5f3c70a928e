import { discoverConfig } from '../config/discover.ts'
import { ConfigError, type Problem, problemText } from '../config/error.ts'
import { type LoadOptions, loadConfig } from '../config/load.ts'
import type { LoadedConfig } from '../config/loaded.ts'
import { type EffectiveValue, originText } from '../config/origin.ts'
import { isReference } from '../config/reference.ts'
import { shownPath, shownValue } from '../config/shown.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import { subcommandOf } from './subcommand.ts'

export const usage = `Usage: mulligan config check|show|schema [OPTIONS]

  check             say every mistake in the config, with its line and column
  show              the values in force and where each comes from; secrets are not shown
  schema            print the JSON Schema of mulligan.toml, for editors

  --config F        the file; default: MULLIGAN_CONFIG, else mulligan.toml found upward from here, else the user's
  --json            JSON on stdout

Exit codes: 0 the config is right (also when there is none), 1 it has mistakes, 2 wrong usage.`

const OPTIONS = { config: { type: 'string' }, json: { type: 'boolean' } } as const

interface Flags {
  config?: string | undefined
  json?: boolean | undefined
}

const COMMANDS: Record<string, (flags: Flags, terminal: Terminal) => number | Promise<number>> = {
  check,
  show,
  schema,
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  const command = subcommandOf('config', name, COMMANDS)
  if (rest.length > 0)
    throw new UsageError(`config ${name} takes no ${JSON.stringify(rest[0])}; name the file with --config`)
  return command(values, terminal)
}

async function check({ config, json }: Flags, terminal: Terminal): Promise<number> {
  const { env, cwd } = terminal
  const file = discoverConfig({ flag: config, env, cwd })
  const problems = await problemsIn({ flag: config, env, cwd })
  if (json) print(terminal, { ok: problems.length === 0, file: file ?? null, problems })
  else if (problems.length > 0) {
    terminal.stdout(`${problems.map(problemText).join('\n')}\n`)
    terminal.stdout(`${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}\n`)
  } else if (file === undefined) terminal.stdout('There is no mulligan.toml; everything has its default.\n')
  else terminal.stdout(`${file} is right.\n`)
  return problems.length === 0 ? 0 : 1
}

/** All mistakes of a config; if it can be read, also those that would keep its capabilities from being made. */
async function problemsIn(options: LoadOptions): Promise<readonly Problem[]> {
  try {
    const loaded = loadConfig(options)
    if (loaded.file === undefined) return []
    const { capabilityProblems } = await import('../capability/index.ts')
    return await capabilityProblems(loaded, options.cwd)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

function show({ config, json }: Flags, terminal: Terminal): number {
  const loaded = loadConfig({ flag: config, env: terminal.env, cwd: terminal.cwd })
  if (json) {
    const values = loaded.values.map(value => valueJson(value, loaded, terminal))
    print(terminal, { file: loaded.file ?? null, values })
    return 0
  }
  terminal.stdout(loaded.file === undefined ? '# no mulligan.toml; defaults\n' : `# ${loaded.file}\n`)
  const rows = loaded.values.map(
    value =>
      [shownPath(value.path, loaded), inWords(value, loaded, terminal), originOf(value, loaded)] as const,
  )
  const width = Math.max(...rows.map(([path]) => path.length))
  const valueWidth = Math.min(40, Math.max(...rows.map(([, value]) => value.length)))
  for (const [path, value, origin] of rows)
    terminal.stdout(`${path.padEnd(width)} = ${value.padEnd(valueWidth)}  # ${origin}\n`)
  return 0
}

async function schema(_flags: Flags, terminal: Terminal): Promise<number> {
  const { configJsonSchema } = await import('../config/json-schema.ts')
  terminal.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return 0
}

/** Places within the file of the heading need no name. */
function originOf({ origin }: EffectiveValue, { file }: LoadedConfig): string {
  return origin.from === 'file' && origin.file === file
    ? `line ${origin.line}:${origin.column}`
    : originText(origin)
}

/** References say whether what they point to is there, and no more. */
function inWords(value: EffectiveValue, loaded: LoadedConfig, terminal: Terminal): string {
  const isSet = isSetOf(value, loaded, terminal)
  return isSet === undefined
    ? shownValue(value, loaded)
    : `${shownValue(value, loaded)} (${isSet ? 'set' : 'not set'})`
}

function isSetOf({ target }: EffectiveValue, loaded: LoadedConfig, { env }: Terminal): boolean | undefined {
  const found = loaded.at(target)
  return isReference(found) ? found.isSet({ env }) : undefined
}

function valueJson(value: EffectiveValue, loaded: LoadedConfig, terminal: Terminal): Record<string, unknown> {
  const isSet = isSetOf(value, loaded, terminal)
  return {
    path: shownPath(value.path, loaded),
    value: JSON.parse(shownValue(value, loaded)),
    ...(isSet === undefined ? {} : { is_set: isSet }),
    ...value.origin,
  }
}

function print(terminal: Terminal, value: unknown): void {
  terminal.stdout(`${JSON.stringify(value)}\n`)
}
