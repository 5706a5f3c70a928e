import { ClientConfig } from '../../../gateway/mcp/client/client-config.ts'
import type { JsonPath } from '../../../gateway/mcp/client/jsonc-edit.ts'
import { isOwn, type ServerEntry, wrapLength } from '../../../gateway/mcp/client/server-entry.ts'
import { nearest } from '../../../option/nearest.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import type { Terminal } from '../../terminal.ts'
import {
  CLIENT_OPTIONS,
  CLIENT_USAGE,
  configOf,
  type OpenedClient,
  openClient,
  orUsage,
  ownWords,
  showAndWrite,
} from './clients.ts'

export const usage = `Usage: mulligan mcp adopt CLIENT [NAME…] [--undo] [OPTIONS]

Puts Mulligan in front of MCP servers that a client has already: all that it starts itself, or those named. Servers that are
reached by a URL are left alone. For Claude Code, servers of this folder in the user's own file are included.

  --undo            take Mulligan away again: each server is started as before
${CLIENT_USAGE}

Exit codes: 0 done, or shown without --yes; 1 failed, 2 wrong usage.`

const OPTIONS = { ...CLIENT_OPTIONS, undo: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [clientName, ...names] = positionals
  const opened = openClient(clientName, values, terminal)
  const paths = pathsOf(opened, values.project === true, terminal)
  const known = paths.flatMap(path => configOf(opened, path).entries)
  checkNames(names, known, opened)
  const own = ownWords(terminal)
  const changed: string[] = []
  let { text } = opened.file
  for (const path of paths)
    for (const entry of configOf(opened, path).entries) {
      if (names.length > 0 && !names.includes(entry.name)) continue
      const length = wrapLength(entry.words)
      const config = new ClientConfig(opened.client, opened.file.file, text, path)
      if (values.undo && length > 0) text = orUsage(() => config.unwrapped(entry.name, length))
      else if (!values.undo && canWrap(entry, names, terminal))
        text = orUsage(() => config.wrapped(entry.name, [...own, 'mcp', 'wrap', '--name', entry.name, '--']))
      else continue
      changed.push(entry.name)
    }
  const did = values.undo ? 'Unwrapped' : 'Wrapped'
  return showAndWrite(
    opened,
    text,
    `${did} ${changed.join(', ')} in ${opened.client.title}`,
    values,
    terminal,
  )
}

/** Where servers are configured: for all folders, and for this folder. */
function pathsOf({ client }: OpenedClient, isProject: boolean, { cwd }: Terminal): readonly JsonPath[] {
  const ofFolder = isProject ? undefined : client.serversOfFolder?.(cwd)
  return ofFolder ? [client.servers, ofFolder] : [client.servers]
}

function canWrap({ name, words }: ServerEntry, names: readonly string[], terminal: Terminal): boolean {
  if (words.length > 0 && !isOwn(words)) return true
  if (words.length === 0 && names.includes(name))
    terminal.stderr(
      `mulligan mcp adopt: ${name} is reached by a URL, and left alone, because the client may log in to it by itself; to put Mulligan in front of it, remove it and run: mulligan mcp add CLIENT ${name} --header "Authorization: env:NAME" URL\n`,
    )
  return false
}

function checkNames(
  names: readonly string[],
  known: readonly ServerEntry[],
  { client, file }: OpenedClient,
): void {
  const all = known.map(({ name }) => name)
  const missing = names.find(name => !all.includes(name))
  if (missing === undefined) return
  const guess = nearest(missing, all)
  const remedy = guess ? `did you mean ${guess}?` : `known: ${all.join(', ') || 'none'}`
  throw new UsageError(`${client.title} has no server ${missing} in ${file.file}; ${remedy}`)
}
