import type { Command } from '../../command.ts'
import { subcommandOf } from '../../flag/subcommand.ts'
import type { Terminal } from '../../terminal.ts'

/** Loaded on use, because each needs another part of Mulligan. */
const SUBCOMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  wrap: {
    summary: 'put Mulligan in front of an MCP server, or of all those in mulligan.toml',
    load: () => import('./wrap.ts'),
  },
  add: {
    summary: 'write a wrapped server into the config of a client',
    load: () => import('./add.ts'),
  },
  remove: {
    summary: 'remove a wrapped server from the config of a client',
    load: () => import('./remove.ts'),
  },
  adopt: {
    summary: 'wrap the servers that a client has already, or undo that',
    load: () => import('./adopt.ts'),
  },
}

export const usage = `Usage: mulligan mcp [${Object.keys(SUBCOMMANDS).join('|')}] [OPTIONS]`

/** Help for the named subcommand, else for the server. */
export async function usageOf([name]: readonly string[]): Promise<string> {
  const named = name !== undefined && Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  return named ? (await named.load()).usage : `${(await import('./serve.ts')).usage}\n\n${others()}`
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv
  // Without a subcommand, this is the server.
  if (name === undefined || name.startsWith('-')) return (await import('./serve.ts')).run(argv, terminal)
  const { run: runSubcommand } = await subcommandOf('mcp', name, SUBCOMMANDS).load()
  return runSubcommand(rest, terminal)
}

function others(): string {
  const width = Math.max(...Object.keys(SUBCOMMANDS).map(name => name.length))
  const lines = Object.entries(SUBCOMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  )
  return ['Subcommands, each with --help:', '', ...lines].join('\n')
}
