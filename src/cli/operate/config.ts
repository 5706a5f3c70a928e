import { dataFolder } from '../../config/data-folder.ts'
import { discoverConfig } from '../../config/discover.ts'
import { ConfigError, type Problem, problemText } from '../../config/error.ts'
import { type LoadOptions, loadConfig } from '../../config/load.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import { type EffectiveValue, originText } from '../../config/origin.ts'
import { MissingReference } from '../../config/reference.ts'
import { trusted } from '../../config/trust.ts'
import { TrustRecord } from '../../config/trust-record.ts'
import { pathInWords, valueInWords } from '../../config/value-words.ts'
import { configToJson, isSetOf } from '../../config/values-json.ts'
import { shellWord } from '../../option/shell-word.ts'
import { quietly } from '../../time/clean-up.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { actionsOf } from '../runtime/config-actions.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan config check|show|schema|trust|distrust [FILE] [OPTIONS]

  check             list every mistake in the config, with line and column
  show              print the values in force and the origin of each; secrets are hidden
  schema            print the JSON Schema of mulligan.toml, for editors
  trust [FILE]      allow a mulligan.toml found in this folder or above to start programs, load modules and send
                    credentials. Any change to the file needs trust again. Default FILE: the nearest one
  distrust [FILE]   revoke that permission

  --config FILE     the file; default: MULLIGAN_CONFIG, else the nearest mulligan.toml in this folder or above, else the
                    user's
  --list            with trust: list trusted files, and since when each is trusted
  --modules         with check: also load the modules the config names, which runs their code
  --json            JSON on stdout

The file named by --config or MULLIGAN_CONFIG and the user's own file are always trusted.

Exit codes: 0 valid (or no config), 1 mistakes found, 2 wrong usage.`

const OPTIONS = {
  config: { type: 'string' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
  modules: { type: 'boolean' },
} as const

interface Flags {
  config?: string | undefined
  list?: boolean | undefined
  json?: boolean | undefined
  modules?: boolean | undefined
}

const COMMANDS: Record<
  string,
  (flags: Flags, terminal: Terminal, file: string | undefined) => number | Promise<number>
> = { check, show, schema, trust, distrust }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  const command = subcommandOf('config', name, COMMANDS)
  const takesFile = command === trust || command === distrust
  if (rest.length > (takesFile ? 1 : 0))
    throw new UsageError(
      `config ${name} takes no ${JSON.stringify(rest.at(-1))}; ${takesFile ? 'name one FILE' : 'name the file with --config'}`,
    )
  if (values.list && command !== trust) throw new UsageError('--list goes with config trust')
  return command(values, terminal, rest[0] ?? values.config)
}

async function check({ config, json, modules = false }: Flags, terminal: Terminal): Promise<number> {
  const { env, cwd } = terminal
  const file = discoverConfig({ flag: config, env, cwd })
  const problems = await problemsIn({ flag: config, env, cwd }, { env, cwd }, modules)
  const shares = problems.length > 0 ? [] : await sharesIn({ flag: config, env, cwd })
  const told = shares.length > 0 ? { surfaces: shares } : {}
  if (json) printJson(terminal, { ok: problems.length === 0, file: file ?? null, problems, ...told })
  else if (problems.length > 0) {
    terminal.stdout(`${problems.map(problemText).join('\n')}\n`)
    terminal.stdout(`${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}\n`)
  } else if (file === undefined) terminal.stdout('No mulligan.toml found; defaults apply.\n')
  else terminal.stdout(`${[`${file} is valid.`, ...shares.flat()].join('\n')}\n`)
  return problems.length === 0 ? 0 : 1
}

/** What each surface of a valid config will and will not get. */
async function sharesIn(options: LoadOptions): Promise<readonly (readonly string[])[]> {
  const { config } = loadConfig(options)
  if (config.surfaces.length === 0) return []
  const { tellingRuleOf } = await import('../../notice/telling-rule.ts')
  const { shareInWords } = await import('../../notice/share-words.ts')
  return tellingRuleOf(config).surfaces.map(shareInWords)
}

/** All mistakes in a config, including those that would keep a daemon from starting. */
async function problemsIn(
  options: LoadOptions,
  terminal: Pick<Terminal, 'env' | 'cwd'>,
  modules: boolean,
): Promise<readonly Problem[]> {
  try {
    const loaded = loadConfig(options)
    if (loaded.file === undefined) return []
    const { configProblems } = await import('../../queue/config-problems.ts')
    const folder = folderFor(loaded, terminal)
    const problems = await configProblems(loaded, { ...terminal, folder })
    return problems.length > 0 || !modules ? problems : await moduleProblems(loaded, folder, terminal)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

/** The data folder. A variable missing here may be set where the daemon runs, so it is not a mistake in the file. */
function folderFor(loaded: LoadedConfig, terminal: Pick<Terminal, 'env' | 'cwd'>): string {
  try {
    return dataFolder(loaded, terminal)
  } catch (error) {
    if (error instanceof MissingReference) return terminal.cwd
    throw error
  }
}

/** Mistakes that show only after the modules have been loaded, as a daemon does. */
async function moduleProblems(
  loaded: LoadedConfig,
  folder: string,
  terminal: Pick<Terminal, 'env' | 'cwd'>,
): Promise<readonly Problem[]> {
  const { actingPartsOf } = await import('../../daemon/config-parts.ts')
  const { registryOf } = await import('../../daemon/config-queue.ts')
  const { isCapabilityError } = await import('../../capability/error.ts')
  const { Secrets } = await import('../../capability/secret/secrets.ts')
  const { scheduleProblems } = await import('../../queue/cron-from-config.ts')
  try {
    const registry = await registryOf(actingPartsOf(trusted(loaded), terminal), terminal)
    return await scheduleProblems(loaded, registry, new Secrets({ folder, env: terminal.env }))
  } catch (error) {
    if (!isCapabilityError(error)) throw error
    return [{ file: loaded.file ?? 'mulligan.toml', path: '', message: error.message }]
  }
}

function show({ config, json }: Flags, terminal: Terminal): number {
  const loaded = loadConfig({ flag: config, env: terminal.env, cwd: terminal.cwd })
  if (json) {
    printJson(terminal, configToJson(loaded, terminal))
    return 0
  }
  terminal.stdout(loaded.file === undefined ? '# no mulligan.toml; defaults\n' : `# ${loaded.file}\n`)
  const rows = loaded.values.map(
    value =>
      [pathInWords(value.path, loaded), inWords(value, loaded, terminal), originOf(value, loaded)] as const,
  )
  const width = Math.max(...rows.map(([path]) => path.length))
  const valueWidth = Math.min(40, Math.max(...rows.map(([, value]) => value.length)))
  for (const [path, value, origin] of rows)
    terminal.stdout(`${path.padEnd(width)} = ${value.padEnd(valueWidth)}  # ${origin}\n`)
  return 0
}

async function schema(_flags: Flags, terminal: Terminal): Promise<number> {
  const { configJsonSchema } = await import('../../config/json-schema.ts')
  terminal.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return 0
}

async function trust({ list, json }: Flags, terminal: Terminal, given: string | undefined): Promise<number> {
  const record = new TrustRecord(terminal.env)
  if (list) {
    const files = record.list()
    if (json) printJson(terminal, { trusted: files })
    else if (files.length === 0) terminal.stdout('No files are trusted besides your own.\n')
    else terminal.stdout(files.map(({ path, at }) => `${path}  since ${at}\n`).join(''))
    return 0
  }
  const file = fileFor(given, terminal)
  // Read as a named file: it is checked before it is trusted, and its mistakes are reported.
  const loaded = loadConfig({ flag: file, env: terminal.env, cwd: terminal.cwd })
  record.add(file, loaded.hash as string, terminal.now())
  await recordTrust(loaded, terminal, 'config trust', file)
  if (json) printJson(terminal, { path: file, sha256: loaded.hash })
  else
    terminal.stdout(
      `${file} is now trusted: it may ${actionsOf(loaded)}. To revoke: mulligan config distrust ${shellWord(file)}\n`,
    )
  return 0
}

/** In the ledger of the config, if it has one. A server that is away must not keep a file from being trusted or not. */
async function recordTrust(
  loaded: LoadedConfig,
  terminal: Terminal,
  action: string,
  subject: string,
): Promise<void> {
  const { recordAside } = await import('../runtime/record-change.ts')
  await quietly(() => recordAside(loaded, terminal, { action, subject }))
}

async function distrust({ json }: Flags, terminal: Terminal, given: string | undefined): Promise<number> {
  const file = fileFor(given, terminal)
  const was = new TrustRecord(terminal.env).remove(file)
  if (was)
    await quietly(async () =>
      recordTrust(
        loadConfig({ flag: file, env: terminal.env, cwd: terminal.cwd }),
        terminal,
        'config distrust',
        file,
      ),
    )
  if (json) printJson(terminal, { path: file, was_trusted: was })
  else terminal.stdout(was ? `${file} is no longer trusted.\n` : `${file} was not trusted.\n`)
  return 0
}

/** The given file, else the one that would be found. */
function fileFor(given: string | undefined, { env, cwd }: Terminal): string {
  const file = discoverConfig({ flag: given, env: { ...env, MULLIGAN_CONFIG: undefined }, cwd })
  if (file !== undefined) return file
  throw new UsageError('no mulligan.toml in this folder or above; name the FILE')
}

/** The origin of a value. Omits the file's name if the heading already shows it. */
function originOf({ origin }: EffectiveValue, { file }: LoadedConfig): string {
  return origin.from === 'file' && origin.file === file
    ? `line ${origin.line}:${origin.column}`
    : originText(origin)
}

/** A value as text. A reference shows only whether its target is set. */
function inWords(value: EffectiveValue, loaded: LoadedConfig, terminal: Terminal): string {
  const isSet = isSetOf(value, loaded, terminal)
  return isSet === undefined
    ? valueInWords(value, loaded)
    : `${valueInWords(value, loaded)} (${isSet ? 'set' : 'not set'})`
}
