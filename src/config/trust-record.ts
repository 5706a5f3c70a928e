import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { quietly } from '../time/clean-up.ts'
import { ConfigError } from './error.ts'
import { makeFolder } from './make-folder.ts'

/** A config that its user trusted, as it was then. */
export interface TrustEntry {
  /** Without symbolic links. */
  path: string
  /** SHA-256 of its content, in hex. */
  sha256: string
  /** When, RFC 3339. */
  at: string
}

const NAME = 'trusted.json'

/** The configs the user trusts: a file (mode 0600) in the user's state folder, never in a data folder that a config names. */
export class TrustRecord {
  readonly #folder: string
  readonly #file: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#folder = join(env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state'), 'mulligan')
    this.#file = join(this.#folder, NAME)
  }

  /** Whether this file, with this content, is trusted. */
  has(file: string, sha256: string): boolean {
    const path = realpathOf(file)
    return path !== undefined && this.list().some(entry => entry.path === path && entry.sha256 === sha256)
  }

  /** All entries, by path. Throws a {@link ConfigError} if others could have written the record. */
  list(): readonly TrustEntry[] {
    const text = this.#read()
    if (text === undefined) return []
    try {
      const { trusted } = JSON.parse(text) as { trusted: unknown }
      if (Array.isArray(trusted) && trusted.every(isEntry)) return trusted
    } catch {
      // Reported below.
    }
    throw new ConfigError(
      this.#file,
      `is not a valid record of trusted configs; delete it and trust them again`,
    )
  }

  /** Trusts a file with this content hash. One entry per path. */
  add(file: string, sha256: string, now: number): void {
    const path = realpathOf(file) ?? file
    const others = this.list().filter(entry => entry.path !== path)
    this.#write([...others, { path, sha256, at: new Date(now).toISOString() }])
  }

  /** Stops trusting a file, even if it no longer exists. Returns false if it was not trusted. */
  remove(file: string): boolean {
    const before = this.list()
    const path = realpathOf(file) ?? file
    const left = before.filter(entry => entry.path !== path && entry.path !== file)
    if (left.length === before.length) return false
    this.#write(left)
    return true
  }

  #read(): string | undefined {
    let descriptor: number
    try {
      descriptor = openSync(this.#file, constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      throw new ConfigError(
        this.#file,
        `cannot be read: ${code === 'ELOOP' ? 'it is a symbolic link' : message}`,
      )
    }
    try {
      const { mode, uid } = fstatSync(descriptor)
      const own = process.getuid?.()
      if ((mode & 0o022) !== 0 || (own !== undefined && uid !== own && uid !== 0))
        throw new ConfigError(
          this.#file,
          'other users can write to this record of trusted configs; delete it and trust them again',
        )
      return readFileSync(descriptor, 'utf8')
    } finally {
      void quietly(() => closeSync(descriptor))
    }
  }

  /** Writes atomically. */
  #write(entries: readonly TrustEntry[]): void {
    makeFolder(this.#folder)
    const draft = `${this.#file}.${process.pid}.${randomBytes(4).toString('hex')}`
    const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    writeFileSync(draft, `${JSON.stringify({ trusted: sorted }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, this.#file)
  }
}

function realpathOf(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is TrustEntry {
  const { path, sha256, at } = (value ?? {}) as Record<string, unknown>
  return [path, sha256, at].every(field => typeof field === 'string')
}
