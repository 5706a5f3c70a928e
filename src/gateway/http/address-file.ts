import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the file in the data folder that says where the daemon listens. */
export const ADDRESS_FILE = 'http.json'

/** Where a daemon listens. */
export interface ListeningAt {
  url: string
  pid: number
}

/** Says where the daemon of this data folder listens, for programs on this machine. */
export function writeAddress(folder: string, at: ListeningAt): void {
  const file = join(folder, ADDRESS_FILE)
  const draft = `${file}.${at.pid}`
  writeFileSync(draft, `${JSON.stringify(at)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** Where a daemon said that it listens; it may have been killed since. Undefined if none did. */
export function readAddress(folder: string): ListeningAt | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(folder, ADDRESS_FILE), 'utf8')) as ListeningAt
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : undefined
  } catch {
    return undefined
  }
}

/** Takes it back, unless another daemon has written its own meanwhile. */
export function removeAddress(folder: string, pid: number): void {
  if (readAddress(folder)?.pid === pid) rmSync(join(folder, ADDRESS_FILE), { force: true })
}
