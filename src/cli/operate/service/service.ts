import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBinary } from '../../../agent/binary.ts'
import { discoverConfig } from '../../../config/discover.ts'
import { loadConfig } from '../../../config/load.ts'
import { present } from '../../../failure/present.ts'
import { run as runProgram } from '../../../process/run.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { subcommandOf } from '../../flag/subcommand.ts'
import { printJson } from '../../print/print-json.ts'
import type { Terminal } from '../../terminal.ts'
import { ClientFile } from '../mcp/client-file.ts'
import { absenceOf, WITHOUT } from './absence.ts'
import { launchd } from './launchd.ts'
import { MARK, type ServiceManager } from './manager.ts'
import { systemd } from './systemd.ts'

const OPTIONS = {
  system: { type: 'boolean' },
  user: { type: 'string' },
  config: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parse>['values']
const parse = (argv: readonly string[]) => parseArguments(argv, { usage, options: OPTIONS })

export const usage = `Usage: mulligan service install|status|remove [OPTIONS]

Keeps the daemon (mulligan serve) running, by systemd or launchd: started at login or boot, and again after a crash.

  install           write the file of the service and start it; again, after an update: renew and restart it
  status            say whether it is installed and runs
  remove            stop it and delete the file; the ledger stays

  --system          for the whole machine, started at boot; default: for you, started at login
  --user NAME       with --system: the user it runs as
  --config FILE     with install: the config; default: MULLIGAN_CONFIG, else the nearest mulligan.toml, else the user's
  --dry-run         print the file and the commands instead
  --json            with status: JSON on stdout

Exit codes: 0 done; of status: runs; 1 failed, or does not run; 2 wrong usage.`

const SUBCOMMANDS = { install, status, remove }

/** How long a command of the manager may take. It waits for a daemon that is stopping. */
const COMMAND_MS = 90_000

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(argv)
  const [name, ...rest] = positionals
  const subcommand = subcommandOf('service', name, SUBCOMMANDS)
  if (rest.length > 0) throw new UsageError(`service ${name} takes no ${JSON.stringify(rest[0])}`)
  if (values.system !== (values.user !== undefined || undefined) && subcommand === install)
    throw new UsageError(
      values.system
        ? '--system needs --user NAME, because the daemon should not run as root'
        : '--user goes with --system',
    )
  return subcommand(managerFor(values, terminal), values, terminal)
}

function managerFor({ system = false }: Flags, { env }: Terminal): ServiceManager {
  if (process.platform === 'darwin') return launchd({ env, system })
  if (process.platform === 'linux') return systemd({ env, system })
  throw new UsageError(
    `service knows systemd and launchd, not ${process.platform}; keep "mulligan serve" running by other means`,
  )
}

async function install(manager: ServiceManager, flags: Flags, terminal: Terminal): Promise<number> {
  const text = manager.textFor(specFor(flags, terminal))
  if (flags['dry-run']) {
    terminal.stdout(`# ${manager.file}\n${text}\n${commandLines(manager.start)}`)
    return 0
  }
  const file = ours(manager)
  mkdirSync(dirname(manager.file), { recursive: true })
  if (file.text !== text) file.write(text)
  // launchd refuses to load what is loaded; elsewhere this stops nothing that the next commands do not start.
  if (file.isThere && manager.title === 'launchd') await tried(manager.stop, terminal)
  const problem = await tried(manager.start, terminal)
  if (problem !== undefined) {
    const absence = absenceOf(problem)
    const remedy = absence === undefined ? `${problem}. To start it:` : WITHOUT[absence]
    terminal.stderr(`mulligan service: wrote ${manager.file}, but ${remedy}\n${commandLines(manager.start)}`)
    return 1
  }
  terminal.stdout(
    `Installed ${manager.file} and started it. Its log: ${manager.log}\n${manager.hint === undefined ? '' : `${manager.hint}\n`}`,
  )
  return 0
}

async function status(manager: ServiceManager, { json }: Flags, terminal: Terminal): Promise<number> {
  const isInstalled = existsSync(manager.file)
  const problem = isInstalled ? await tried([manager.isRunning], terminal) : undefined
  const isRunning = isInstalled && problem === undefined
  if (json) printJson(terminal, { installed: isInstalled, running: isRunning, file: manager.file })
  else if (!isInstalled) terminal.stdout('Not installed; to install it: mulligan service install\n')
  else
    terminal.stdout(
      isRunning
        ? `Running, as ${manager.file} says. Its log: ${manager.log}\n`
        : problem !== undefined && absenceOf(problem) === 'machine'
          ? `Installed as ${manager.file}, but systemd does not run here.\n`
          : `Installed as ${manager.file}, but not running. Its log: ${manager.log}\n`,
    )
  return isRunning ? 0 : 1
}

async function remove(manager: ServiceManager, flags: Flags, terminal: Terminal): Promise<number> {
  const file = ours(manager)
  if (!file.isThere) {
    terminal.stdout('Not installed; nothing to remove.\n')
    return 0
  }
  if (flags['dry-run']) {
    terminal.stdout(`${commandLines([...manager.stop, ['rm', manager.file], ...manager.forget])}`)
    return 0
  }
  const problem = await tried(manager.stop, terminal)
  rmSync(manager.file)
  await tried(manager.forget, terminal)
  if (problem !== undefined && absenceOf(problem) === 'machine') {
    terminal.stdout(
      `Deleted ${manager.file}; systemd does not run here, so there was nothing to stop. The ledger stays.\n`,
    )
    return 0
  }
  if (problem !== undefined)
    terminal.stderr(`mulligan service: deleted ${manager.file}, but the daemon may still run: ${problem}\n`)
  else terminal.stdout(`Stopped it and deleted ${manager.file}. The ledger stays.\n`)
  return problem === undefined ? 0 : 1
}

/** The service's file. Throws a {@link UsageError} if somebody else wrote it. */
function ours({ file }: ServiceManager): ClientFile {
  const found = ClientFile.read(file)
  if (found.isThere && !found.text.includes(MARK))
    throw new UsageError(`${file} was not written by "mulligan service install"; move it away first`)
  return found
}

function specFor({ config, user }: Flags, { env, cwd }: Terminal) {
  const script = process.argv[1] ?? fileURLToPath(import.meta.url)
  if (/[/\\]_npx[/\\]/.test(script))
    throw new UsageError('npx deletes what it installs; first: npm install --global mulligan')
  const file = discoverConfig({ flag: config, env, cwd })
  // A daemon that cannot start would be restarted for ever, or not at all.
  if (file !== undefined) loadConfig({ flag: file, env, cwd })
  const home = env.HOME ?? homedir()
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => !/node_modules[/\\]\.bin$/.test(folder))
  return {
    argv: [process.execPath, script, 'serve', ...(file === undefined ? [] : ['--config', file])],
    // The home of whoever installs it for the machine is closed to the user it runs as.
    ...present({ folder: file !== undefined ? dirname(file) : user === undefined ? home : undefined }),
    path: folders.join(delimiter),
    environmentFile:
      user === undefined
        ? join(env.XDG_CONFIG_HOME || join(home, '.config'), 'mulligan', 'env')
        : '/etc/mulligan/env',
    ...present({ runAs: user }),
  }
}

/** Runs commands until one fails. Returns what failed. */
async function tried(
  commands: readonly (readonly [string, ...string[]])[],
  { env, cwd, signal }: Terminal,
): Promise<string | undefined> {
  for (const [program, ...args] of commands) {
    const found = findBinary(program, { path: env.PATH, cwd })
    if (found === undefined) return `there is no ${program} here`
    const { exitCode, stderr } = await runProgram({
      argv: [found, ...args],
      env,
      signal,
      timeoutMs: COMMAND_MS,
      // What they start is not theirs to take along.
      leaveChildren: true,
    })
    if (exitCode !== 0)
      return `"${[program, ...args].join(' ')}" failed: ${stderr.trim() || `exit ${exitCode}`}`
  }
  return undefined
}

function commandLines(commands: readonly (readonly string[])[]): string {
  return commands.map(words => `  ${words.join(' ')}\n`).join('')
}
