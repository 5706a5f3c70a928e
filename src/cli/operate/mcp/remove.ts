import { isOwn } from '../../../gateway/mcp/client/server-entry.ts'
import { nearest } from '../../../option/nearest.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import type { Terminal } from '../../terminal.ts'
import { CLIENT_OPTIONS, CLIENT_USAGE, configOf, openClient, orUsage, showAndWrite } from './clients.ts'

export const usage = `Usage: mulligan mcp remove CLIENT NAME [OPTIONS]

Removes an MCP server that "mulligan mcp add" has written. Servers that Mulligan is not in front of are left alone; those
that were wrapped in place are unwrapped with "mulligan mcp adopt CLIENT NAME --undo".

${CLIENT_USAGE}

Exit codes: 0 done, or shown without --yes; 1 failed, 2 wrong usage.`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: CLIENT_OPTIONS })
  const [clientName, name, ...rest] = positionals
  const opened = openClient(clientName, values, terminal)
  if (name === undefined) throw new UsageError('name the server to remove')
  if (rest.length > 0) throw new UsageError(`remove takes one NAME; unexpected ${JSON.stringify(rest[0])}`)
  const config = configOf(opened)
  const entry = config.entry(name)
  const { title } = opened.client
  if (!entry) {
    const guess = nearest(
      name,
      config.entries.map(each => each.name),
    )
    terminal.stdout(
      `Nothing to do: ${title} has no server ${name}${guess ? `; did you mean ${guess}?` : ''} (${opened.file.file})\n`,
    )
    return 0
  }
  if (!isOwn(entry.words)) throw new UsageError(`${name} is not wrapped by Mulligan; remove it by hand`)
  const text = orUsage(() => config.without(name))
  return showAndWrite(opened, text, `Removed ${name} from ${title}`, values, terminal)
}
