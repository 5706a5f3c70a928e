import { existsSync } from 'node:fs'
import { THREAD_TEXT } from './thread-text.ts'

/** What to start the reader thread from. */
export interface ThreadCode {
  code: string | URL
  /** Whether `code` is the program itself, not its location. */
  isText: boolean
}

/**
 * The program of the reader thread: the text that the build put into this package, so that it exists however a bundler
 * changes our files; in the sources, the file next to this one. Undefined if neither exists.
 */
export function threadCode(): ThreadCode | undefined {
  if (THREAD_TEXT !== undefined) return { code: THREAD_TEXT, isText: true }
  // Older bundle formats have no such URL, and bundlers must not mistake the following for one of their assets.
  const here: string | undefined = import.meta.url
  if (here === undefined) return undefined
  const names = ['reader-thread.ts', 'reader-thread.js']
  const [found] = names
    .map(name => new URL(name, here))
    .filter(url => url.protocol === 'file:' && existsSync(url))
  return found && { code: found, isText: false }
}
