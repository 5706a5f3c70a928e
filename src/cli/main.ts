import { version } from '../daemon/version.ts'
import { nearest } from '../option/nearest.ts'
import { COMMAND_NAMES, COMMANDS, GROUPS } from './commands.ts'
import { UsageError } from './flag/arguments.ts'
import { escapingTerminal } from './print/escaping-terminal.ts'
import { systemErrorInWords } from './print/system-error.ts'
import { realTerminal } from './real-terminal.ts'
import type { Terminal } from './terminal.ts'

/** Runs the command line, and sets the process's exit code. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal = realTerminal()): Promise<number> {
  const code = await dispatch(argv, escapingTerminal(terminal))
  if (code !== 0) process.exitCode = code
  return code
}

async function dispatch([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const [of] = rest
  if (name === 'help' && of !== undefined && of !== 'help') return dispatch([of, '--help'], terminal)
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.stdout(help())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    terminal.stdout(`${version()}\n`)
    return 0
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) {
    const isOption = name.startsWith('-')
    const guess = nearest(name, isOption ? ['--help', '--version'] : COMMAND_NAMES)
    const what = isOption ? `option ${name}` : `command ${JSON.stringify(name)}`
    const hint = guess ? `; did you mean "${guess}"?` : isOption ? '; options follow their command' : ''
    terminal.stderr(`mulligan: unknown ${what}${hint}\n`)
    terminal.stderr('To list the commands: mulligan --help\n')
    return 2
  }
  const command = await load()
  // Arguments after -- belong to another program.
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (flags.includes('--help') || flags.includes('-h')) {
    terminal.stdout(`${(await command.usageOf?.(flags)) ?? command.usage}\n`)
    return 0
  }
  try {
    return await command.run(
      rest,
      Object.assign(Object.create(terminal) as Terminal, { doing: [name, ...rest] }),
    )
  } catch (error) {
    return report(name, error, (await command.usageOf?.(flags)) ?? command.usage, terminal)
  }
}

function report(name: string, error: unknown, usage: string, terminal: Terminal): number {
  const message = systemErrorInWords(error) ?? (error instanceof Error ? error.message : String(error))
  terminal.stderr(`mulligan ${name}: ${message}\n`)
  if (!(error instanceof UsageError)) return 1
  terminal.stderr(`${usage.split('\n', 1)[0]}\n`)
  return 2
}

function help(): string {
  const width = Math.max(...COMMAND_NAMES.map(name => name.length))
  const column = Math.max(...Object.keys(GROUPS).map(group => group.length))
  const lines = Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(
      ([name, { summary }], index) =>
        `${(index === 0 ? group : '').padEnd(column)}  ${name.padEnd(width)}  ${summary}`,
    ),
  )
  return [
    "Mulligan decides what happens after an AI agent's call fails.",
    'Usage: mulligan COMMAND [OPTIONS], and for the options: mulligan COMMAND --help',
    '',
    ...lines,
    '',
  ].join('\n')
}
