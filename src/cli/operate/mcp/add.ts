import { isOwn } from '../../../gateway/mcp/client/server-entry.ts'
import { shellWord } from '../../../option/shell-word.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import type { Terminal } from '../../terminal.ts'
import {
  CLIENT_OPTIONS,
  CLIENT_USAGE,
  configOf,
  openClient,
  orUsage,
  ownWords,
  showAndWrite,
} from './clients.ts'
import { readHeader, warnOfSecret } from './header-flag.ts'

/** The name of Mulligan's own server. */
const OWN_NAME = 'mulligan'

export const usage = `Usage: mulligan mcp add CLIENT NAME [OPTIONS] -- COMMAND ARGS…
       mulligan mcp add CLIENT NAME [OPTIONS] URL
       mulligan mcp add CLIENT

Writes an MCP server into the config of a client, with Mulligan in front of it ("mulligan mcp wrap"). Without NAME it adds
Mulligan's own server ("mulligan mcp"). Comments and layout of the file stay as they are.

  --header "N: V"   for a URL: a header of every request; V may be env:NAME, a variable of the client's environment. May be
                    given several times
${CLIENT_USAGE}

To undo: mulligan mcp remove CLIENT NAME. To wrap servers that are there already: mulligan mcp adopt CLIENT.

Exit codes: 0 done, or shown without --yes; 1 failed, 2 wrong usage.`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const at = argv.indexOf('--')
  if (at === -1) checkCommand(argv)
  const { values, positionals } = parseArguments(at === -1 ? argv : argv.slice(0, at), {
    usage,
    options: { ...CLIENT_OPTIONS, header: { type: 'string', multiple: true } },
  })
  const command = at === -1 ? [] : argv.slice(at + 1)
  const [clientName, name = OWN_NAME, url, ...rest] = positionals
  const opened = openClient(clientName, values, terminal)
  if (rest.length > 0 || (url !== undefined && command.length > 0))
    throw new UsageError(`unexpected ${JSON.stringify(rest[0] ?? url)}; give the command after --`)
  checkName(name)
  const { header = [] } = values
  if (header.length > 0 && url === undefined)
    throw new UsageError('--header is for a URL; a command gets its keys from the environment')
  const words = wordsFor(name, { url, header, command }, terminal)
  const config = configOf(opened)
  const known = config.entry(name)
  if (known && !isSame(known.words, words)) {
    const remedy = isOwn(known.words)
      ? `remove it first: mulligan mcp remove ${opened.name} ${name}`
      : `to wrap it: mulligan mcp adopt ${opened.name} ${name}`
    throw new UsageError(`${opened.client.title} has another server ${name} already; ${remedy}`)
  }
  const text = known ? config.text : orUsage(() => config.with(name, words))
  return showAndWrite(opened, text, `Added ${name} to ${opened.client.title}`, values, terminal)
}

/** Earlier versions wrote no `--name`. */
function isSame(known: readonly string[], words: readonly string[]): boolean {
  const at = words.indexOf('--name')
  const before = at === -1 ? words : words.toSpliced(at, 2)
  return [words, before].some(each => JSON.stringify(each) === JSON.stringify(known))
}

/** Flags of a command that is not after `--` would be read as ours. */
function checkCommand(argv: readonly string[]): void {
  const [client, name, command] = argv.filter(
    (word, at) => !word.startsWith('-') && argv[at - 1] !== '--header',
  )
  if (command === undefined || /^https?:/.test(command)) return
  const rest = argv.slice(argv.indexOf(command)).map(shellWord).join(' ')
  throw new UsageError(
    `give the command of the server after --: mulligan mcp add ${client} ${name} -- ${rest}`,
  )
}

function wordsFor(
  name: string,
  {
    url,
    header,
    command,
  }: { url: string | undefined; header: readonly string[]; command: readonly string[] },
  terminal: Terminal,
): readonly string[] {
  const own = ownWords(terminal)
  const wrap = [...own, 'mcp', 'wrap', '--name', name]
  if (command.length > 0) return [...wrap, '--', ...command]
  if (url !== undefined) {
    if (!/^https?:\/\/[^\s]+$/.test(url))
      throw new UsageError(`${JSON.stringify(url)} is not a URL; give the server's command after --`)
    for (const each of header) warnOfSecret(readHeader(each), text => terminal.stderr(text))
    return [...wrap, ...header.flatMap(each => ['--header', each]), url]
  }
  if (name === OWN_NAME) return [...own, 'mcp']
  throw new UsageError(`${name} needs a command after --, or a URL`)
}

/** Names that every client accepts. */
function checkName(name: string): void {
  if (/^[A-Za-z0-9_][\w.-]{0,63}$/.test(name) && name !== '__proto__') return
  throw new UsageError(
    `${JSON.stringify(name)} is not a valid server name; use up to 64 letters, digits, "-", "_" or "."`,
  )
}
