import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** The published address of a daemon, which may have been killed since; undefined if there is none. */
export function readAddress(folder: string, name = ADDRESS_FILE): ListeningAt | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as ListeningAt
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : undefined
  } catch {
    return undefined
  }
}

/** Removes the address, unless another daemon has published its own meanwhile. */
export function removeAddress(folder: string, pid: number, name = ADDRESS_FILE): void {
  if (readAddress(folder, name)?.pid === pid) rmSync(join(folder, name), { force: true })
}
