import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { cleaningUp } from '../../time/clean-up.ts'

/** Name of the file in the data folder with the daemon's address. */
export const ADDRESS_FILE = 'http.json'

/** Address and process of a daemon. */
export interface ListeningAt {
  url: string
  pid: number
}

/** Publishes the daemon's address in its data folder, for programs on this machine. */
export function writeAddress(folder: string, at: ListeningAt, name = ADDRESS_FILE): void {
  const file = join(folder, name)
  const draft = `${file}.${at.pid}`
  writeFileSync(draft, `${JSON.stringify(at)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** Most bytes of an address file. */
const MOST_BYTES = 4_096

/**
 * The published address of a daemon, which may have been killed since; undefined if there is none. Tokens are sent there, so a
 * file that others could have written, such as one that came with a repository, is none.
 */
export function readAddress(folder: string, name = ADDRESS_FILE): ListeningAt | undefined {
  try {
    const text = readOwn(join(folder, name))
    if (text === undefined) return undefined
    const { url, pid } = JSON.parse(text) as ListeningAt
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : undefined
  } catch {
    return undefined
  }
}

function readOwn(file: string): string | undefined {
  // A pipe would never answer, a link could lead anywhere.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  return cleaningUp(
    () => {
      const stat = fstatSync(opened)
      const isOurs = stat.uid === (process.geteuid?.() ?? stat.uid) && (stat.mode & 0o077) === 0
      return stat.isFile() && isOurs && stat.size <= MOST_BYTES ? readFileSync(opened, 'utf8') : undefined
    },
    () => closeSync(opened),
  )
}

/** Removes the address, unless another daemon has published its own meanwhile. */
export function removeAddress(folder: string, pid: number, name = ADDRESS_FILE): void {
  if (readAddress(folder, name)?.pid === pid) rmSync(join(folder, name), { force: true })
}
