import { existsSync } from 'node:fs'
import { THREAD_TEXT } from './thread-text.ts'

/** What the reading thread is started from. */
export interface ThreadCode {
  code: string | URL
  /** Whether `code` is the program itself, and not where it is. */
  isText: boolean
}

/**
 * The program of the reading thread: the text that the build put into this package, so that it is there whatever a
 * bundler makes of our files; run from the sources, the file beside this one. Undefined where neither is there.
 */
export function threadCode(): ThreadCode | undefined {
  if (THREAD_TEXT !== undefined) return { code: THREAD_TEXT, isText: true }
  // Bundles of the older kind have no such address, and bundlers must not take what follows for an asset of theirs.
  const here: string | undefined = import.meta.url
  if (here === undefined) return undefined
  const names = ['reader-thread.ts', 'reader-thread.js']
  const [found] = names
    .map(name => new URL(name, here))
    .filter(url => url.protocol === 'file:' && existsSync(url))
  return found && { code: found, isText: false }
}
