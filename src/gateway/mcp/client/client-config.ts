import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { present } from '../../../failure/present.ts'
import { isObject } from '../json-rpc.ts'
import type { McpClient } from './clients.ts'
import { JsoncError, parseJsonc, valueOfNode } from './jsonc.ts'
import { type JsonPath, withFirstItems, withoutFirstItems, withoutMember, withValue } from './jsonc-edit.ts'
import { type ServerEntry, wordsOf } from './server-entry.ts'
import { withoutTomlServer, withoutTomlWords, withTomlServer, withTomlWords } from './toml-servers.ts'

/** A client's config file cannot be read or changed; the message says which file, where and why. */
export class ClientConfigError extends Error {
  override name = 'ClientConfigError'
}

/** The MCP servers in a client's config. Each change returns the whole new text, with everything else unchanged. */
export class ClientConfig {
  readonly #client: McpClient
  readonly #file: string
  readonly #path: JsonPath
  readonly text: string

  /** @param path the keys under which the servers are. Default: the client's usual ones */
  constructor(client: McpClient, file: string, text: string, path: JsonPath = client.servers) {
    this.#client = client
    this.#file = file
    this.text = text
    this.#path = path
    this.#servers(text)
  }

  /** All servers, in file order. */
  get entries(): readonly ServerEntry[] {
    return Object.entries(this.#servers(this.text)).map(([name, entry]) => ({ name, words: wordsOf(entry) }))
  }

  /** The server with this name, if any. */
  entry(name: string): ServerEntry | undefined {
    return this.entries.find(entry => entry.name === name)
  }

  /** Adds a server that is started with these words. */
  with(name: string, words: readonly string[]): string {
    const entry = this.#entryOf(words)
    const text = this.#isToml
      ? withTomlServer(this.text, name, words)
      : withValue(this.#started, [...this.#path, name], entry)
    return this.#checked(text, { ...this.#servers(this.text), [name]: entry })
  }

  /** Removes a server. */
  without(name: string): string {
    const { [name]: _gone, ...rest } = this.#servers(this.text)
    const text = this.#isToml
      ? withoutTomlServer(this.text, name)
      : withoutMember(this.text, [...this.#path, name])
    return this.#checked(text, rest)
  }

  /** Puts words in front of a server's command. */
  wrapped(name: string, before: readonly string[]): string {
    const { words } = this.entry(name) as ServerEntry
    const all = [...before, ...words]
    const [command = '', ...args] = all
    const shift = args.slice(0, all.length - words.length)
    const at = [...this.#path, name]
    const text = this.#isToml
      ? withTomlWords(this.text, name, { command, before: shift })
      : this.#client.words === 'one list'
        ? withFirstItems(this.text, [...at, 'command'], before)
        : this.#withArgs(withValue(this.text, [...at, 'command'], command), at, shift)
    return this.#checked(text, this.#withWords(name, all))
  }

  /** Removes the first words of a server's command. */
  unwrapped(name: string, count: number): string {
    const { words } = this.entry(name) as ServerEntry
    const left = words.slice(count)
    const [command = ''] = left
    const at = [...this.#path, name]
    const text = this.#isToml
      ? withoutTomlWords(this.text, name, { command, count })
      : this.#client.words === 'one list'
        ? withoutFirstItems(this.text, [...at, 'command'], count)
        : this.#withoutArgs(withValue(this.text, [...at, 'command'], command), at, count)
    return this.#checked(text, this.#withWords(name, left), name)
  }

  get #isToml(): boolean {
    return this.#client.format === 'toml'
  }

  get #started(): string {
    return this.text.trim() === '' ? '{}\n' : this.text
  }

  #entryOf(words: readonly string[]): Record<string, unknown> {
    const { more } = this.#client
    const [command = '', ...args] = words
    return this.#client.words === 'one list' ? { ...more, command: words } : { ...more, command, args }
  }

  #withArgs(text: string, at: JsonPath, before: readonly string[]): string {
    return isThere(text, [...at, 'args'])
      ? withFirstItems(text, [...at, 'args'], before)
      : withValue(text, [...at, 'args'], before)
  }

  /** If nothing else is left in the list, wrapping created it. */
  #withoutArgs(text: string, at: JsonPath, count: number): string {
    const args = (this.#servers(text)[at.at(-1) as string] as { args: unknown[] }).args
    return args.length === count
      ? withoutMember(text, [...at, 'args'])
      : withoutFirstItems(text, [...at, 'args'], count)
  }

  #withWords(name: string, words: readonly string[]): Record<string, unknown> {
    const servers = this.#servers(this.text)
    const { command: _command, args: _args, ...rest } = servers[name] as Record<string, unknown>
    const { command, args } = this.#entryOf(words)
    return { ...servers, [name]: { ...rest, command, ...present({ args }) } }
  }

  /** Reads the new text back: only the intended change may be in it. */
  #checked(text: string, meant: Record<string, unknown>, mayLack?: string): string {
    const found = this.#servers(text)
    const same = Object.keys(meant).every(
      name =>
        isDeepStrictEqual(plain(found[name]), plain(meant[name])) ||
        (name === mayLack && isDeepStrictEqual(withoutEmptyArgs(found[name]), withoutEmptyArgs(meant[name]))),
    )
    if (same && Object.keys(found).length === Object.keys(meant).length) return text
    throw new ClientConfigError(
      `${this.#file} is written in a form that cannot be changed safely; change it by hand`,
    )
  }

  #servers(text: string): Record<string, unknown> {
    let value = this.#read(text)
    for (const key of this.#path) {
      if (value !== undefined && !isObject(value))
        throw new ClientConfigError(`${this.#file}: ${this.#path.join('.')} is not a table of servers`)
      value = value?.[key]
    }
    if (value === undefined || value === null) return {}
    if (!isObject(value))
      throw new ClientConfigError(`${this.#file}: ${this.#path.join('.')} is not a table of servers`)
    return value
  }

  #read(text: string): unknown {
    if (text.trim() === '') return {}
    try {
      return this.#isToml ? parse(text) : valueOfNode(parseJsonc(text))
    } catch (error) {
      throw unreadable(this.#file, text, error)
    }
  }
}

/** Says where a file is broken, and how. */
export function unreadable(file: string, text: string, error: unknown): ClientConfigError {
  const where = error instanceof JsoncError ? placeIn(text, error.offset) : ''
  const [told = ''] = (error as Error).message.split('\n')
  return new ClientConfigError(`${file}${where} cannot be read: ${told}`, { cause: error })
}

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `:${before.length}:${(before.at(-1) ?? '').length + 1}`
}

function isThere(text: string, path: JsonPath): boolean {
  let value = valueOfNode(parseJsonc(text))
  for (const key of path) value = isObject(value) ? value[key] : undefined
  return value !== undefined
}

function withoutEmptyArgs(entry: unknown): unknown {
  const { args, ...rest } = entry as { args?: unknown[] }
  return plain(args === undefined || args.length === 0 ? rest : { ...rest, args })
}

/** As plain JSON, because TOML tables have no prototype. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
