import { basename } from 'node:path'

/** A server that a client starts, as its file has it. */
export interface ServerEntry {
  name: string
  /** Program and arguments. Empty for a server that is reached by its address. */
  words: readonly string[]
}

/** Program and arguments of an entry, whichever way the client writes them. */
export function wordsOf(entry: unknown): readonly string[] {
  const { command, args = [] } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
    command?: unknown
    args?: unknown
  }
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])]
  return words.every(word => typeof word === 'string') ? words : []
}

/**
 * How many words at the beginning put Mulligan in front of a server: those of `mulligan mcp wrap … --`. 0 if it is not
 * wrapped.
 */
export function wrapLength(words: readonly string[]): number {
  const at = words.findIndex((word, index) => word === 'mcp' && words[index + 1] === 'wrap')
  // The program itself, or a runtime and its script.
  if (at < 1 || at > 3 || !words.slice(0, at).some(isMulligan)) return 0
  const end = words.indexOf('--', at + 2)
  return end === -1 || end === words.length - 1 ? 0 : end + 1
}

/** Whether an entry is Mulligan's own server, or one that it wraps. */
export function isOwn(words: readonly string[]): boolean {
  return words.slice(0, 3).some(isMulligan) && words.includes('mcp')
}

function isMulligan(word: string): boolean {
  return /^mulligan(?:\.js|\.cmd)?$/.test(basename(word))
}
