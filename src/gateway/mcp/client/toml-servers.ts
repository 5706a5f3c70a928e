/** A server in Codex's TOML: the table `[mcp_servers.NAME]` with its keys and nested tables. */
interface Table {
  /** Start of its header. */
  start: number
  /** End of its last key or header. */
  end: number
}

/** A server is written in a form that cannot be edited. */
export class TomlEditError extends Error {
  override name = 'TomlEditError'
}

const ROOT = 'mcp_servers'

/** Adds a server at the end. */
export function withTomlServer(
  text: string,
  name: string,
  [command = '', ...args]: readonly string[],
): string {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const header = `[${ROOT}.${keyOf(name)}]`
  const table = `${header}\ncommand = ${quoted(command)}\nargs = [${args.map(quoted).join(', ')}]\n`
  return before === '' ? table : `${before}\n${table}`
}

/** Removes a server with its nested tables. */
export function withoutTomlServer(text: string, name: string): string {
  let left = text
  for (const { start, end } of tablesOf(text, name).toReversed()) {
    // The empty line above belongs to it.
    const from = left.slice(0, start).endsWith('\n\n') ? start - 1 : start
    left = left.slice(0, from) + left.slice(end)
  }
  return left
}

/** Replaces a server's command and puts words in front of its arguments. */
export function withTomlWords(
  text: string,
  name: string,
  { command, before }: { command: string; before: readonly string[] },
): string {
  const table = ownTable(text, name)
  const changed = replaceString(text, table, 'command', command)
  const list = listIn(changed, ownTable(changed, name))
  const words = before.map(quoted).join(', ')
  if (list === undefined) {
    const line = lineOf(changed, ownTable(changed, name), 'command')
    return `${changed.slice(0, line.end)}\nargs = [${words}]${changed.slice(line.end)}`
  }
  const isEmpty = /^\s*\]/.test(changed.slice(list + 1))
  return `${changed.slice(0, list + 1)}${words}${isEmpty ? '' : ', '}${changed.slice(list + 1)}`
}

/** Replaces a server's command and removes its first arguments. */
export function withoutTomlWords(
  text: string,
  name: string,
  { command, count }: { command: string; count: number },
): string {
  const changed = replaceString(text, ownTable(text, name), 'command', command)
  const table = ownTable(changed, name)
  const list = listIn(changed, table)
  if (list === undefined) throw new TomlEditError(`[${ROOT}.${name}] has no args`)
  let at = list + 1
  for (let item = 0; item < count; item += 1) {
    ITEM.lastIndex = at
    const found = ITEM.exec(changed)
    if (!found) throw new TomlEditError(`args of [${ROOT}.${name}] are not a plain list of strings`)
    at += found[0].length
  }
  const rest = changed.slice(at)
  if (/^\s*\]/.test(rest) && /^\n?args = \[/.test(changed.slice(changed.lastIndexOf('\n', list), list + 1))) {
    const line = lineOf(changed, table, 'args')
    return changed.slice(0, line.start - 1) + changed.slice(line.end)
  }
  return changed.slice(0, list + 1) + (rest.startsWith(' ') ? rest.slice(1) : rest)
}

const ITEM = /\s*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')\s*?,?/y

function ownTable(text: string, name: string): Table {
  const [first] = tablesOf(text, name)
  if (first) return first
  throw new TomlEditError(`server ${name} is not under a header [${ROOT}.${keyOf(name)}]; change it by hand`)
}

/** The table of a server and its nested tables. */
function tablesOf(text: string, name: string): Table[] {
  const headers = [...text.matchAll(/^[ \t]*\[\[?([^\]\n]+)\]\]?[ \t]*(?:#[^\n]*)?$/gm)]
  const names = [`${ROOT}.${name}`, `${ROOT}.${quoted(name)}`, `${ROOT}.'${name}'`]
  return headers.flatMap((header, index) => {
    const called = (header[1] as string).trim()
    if (!names.some(own => called === own || called.startsWith(`${own}.`))) return []
    const next = headers[index + 1]?.index ?? text.length
    // Comments and empty lines above the next header belong to the next table.
    const block = text.slice(header.index, next)
    const length = block.replace(/(?:\n[ \t]*(?:#[^\n]*)?)*$/, '').length
    const end = header.index + length
    return [{ start: header.index, end: text[end] === '\n' ? end + 1 : end }]
  })
}

function lineOf(text: string, { start, end }: Table, key: string): Table {
  const found = new RegExp(`^[ \\t]*${key}[ \\t]*=[^\\n]*`, 'm').exec(text.slice(start, end))
  if (!found) throw new TomlEditError(`the server has no ${key} on a line of its own; change it by hand`)
  return { start: start + found.index, end: start + found.index + found[0].length }
}

function replaceString(text: string, table: Table, key: string, value: string): string {
  const { start, end } = lineOf(text, table, key)
  const line = text.slice(start, end)
  const changed = line.replace(/=[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*')/, () => `= ${quoted(value)}`)
  if (changed === line && !line.includes(quoted(value)))
    throw new TomlEditError(`${key} is not a plain string; change it by hand`)
  return text.slice(0, start) + changed + text.slice(end)
}

/** Start of the list of arguments, if any. */
function listIn(text: string, { start, end }: Table): number | undefined {
  const found = /^[ \t]*args[ \t]*=[ \t]*\[/m.exec(text.slice(start, end))
  return found ? start + found.index + found[0].length - 1 : undefined
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : quoted(name)
}

/** JSON strings are valid TOML strings, except for one character. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
