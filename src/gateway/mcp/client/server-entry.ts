import { basename } from 'node:path'

/** A server in a client's config file. */
export interface ServerEntry {
  name: string
  /** Program and arguments. Empty for a server with a URL. */
  words: readonly string[]
}

/** Program and arguments of an entry, in either form. */
export function wordsOf(entry: unknown): readonly string[] {
  const { command, args = [] } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
    command?: unknown
    args?: unknown
  }
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])]
  return words.every(word => typeof word === 'string') ? words : []
}

/**
 * The number of leading words that wrap a server (`mulligan mcp wrap … --`); 0 if it is not wrapped.
 */
export function wrapLength(words: readonly string[]): number {
  const at = words.findIndex((word, index) => word === 'mcp' && words[index + 1] === 'wrap')
  // Either the program itself, or a runtime and its script.
  if (at < 1 || at > 3 || !words.slice(0, at).some(isMulligan)) return 0
  const end = words.indexOf('--', at + 2)
  return end === -1 || end === words.length - 1 ? 0 : end + 1
}

/** Whether an entry is Mulligan's own server or a wrapped one. */
export function isOwn(words: readonly string[]): boolean {
  return words.slice(0, 3).some(isMulligan) && words.includes('mcp')
}

function isMulligan(word: string): boolean {
  return /^mulligan(?:\.js|\.cmd)?$/.test(basename(word))
}
