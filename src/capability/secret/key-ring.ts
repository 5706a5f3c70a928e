import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { checkPrivateFolder } from '../../config/private-folder.ts'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../../failure/own-error.ts'
import { cleaningUp, quietly } from '../../time/clean-up.ts'
import { KEY_BYTES, type Key, keyOf, SECRET_KEY_VARIABLE } from './key.ts'

/** Name of the key file in the data folder. */
export const KEY_FILE_NAME = 'secret.key'

/** Unusable keys for secrets. The message says which file or variable, what is wrong and what would be right. */
export class SecretKeyError extends Error implements MeaningfulError {
  override name = 'SecretKeyError'
  readonly code = 'SECRET_KEY'

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/** Where keys come from. */
export interface KeyRingOptions {
  /** The data folder: its `secret.key` contains one key per line, the current one first. */
  folder: string
  /** Environment that may contain keys instead, the current one first. Default: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Makes new keys. Default: random. */
  randomKey?: () => Buffer
}

/**
 * The keys of this machine: those of the environment first, then those of the key file. Secrets are sealed with the first key and
 * opened with the one they name. The file is read again when it changes, so processes notice a rotation by another.
 */
export class KeyRing {
  readonly #file: string
  readonly #folder: string
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #randomKey: () => Buffer
  #read: { version: string; keys: readonly Key[] } | undefined

  constructor({ folder, env = {}, randomKey = () => randomBytes(KEY_BYTES) }: KeyRingOptions) {
    this.#folder = folder
    this.#file = join(folder, KEY_FILE_NAME)
    this.#env = env
    this.#randomKey = randomKey
  }

  /** The key to seal with, created on first use. Throws a {@link SecretKeyError}. */
  current(): Key {
    const [first] = this.#keys()
    if (first) return first
    this.#create()
    return this.#keys()[0] as Key
  }

  /** The key with this id; undefined if it is not here. Throws a {@link SecretKeyError} if keys cannot be used. */
  find(id: string): Key | undefined {
    return this.#keys().find(key => key.id === id)
  }

  /** Ids of all keys, the current one first. */
  get ids(): string[] {
    return this.#keys().map(({ id }) => id)
  }

  /** Adds a new current key; older ones stay readable. Returns its id. */
  rotate(): string {
    if (this.#env[SECRET_KEY_VARIABLE])
      throw new SecretKeyError(
        `the key is in ${SECRET_KEY_VARIABLE}: add the new one before it there, separated by a comma`,
      )
    this.#alone(() => {
      const older = this.#fileText() ?? ''
      this.#write(`${this.#newKey()}\n${older}`, (draft, file) => renameSync(draft, file))
    })
    this.#read = undefined
    return this.current().id
  }

  /** Two rotations at once would lose one key, and every secret sealed with it. */
  #alone(change: () => void): void {
    const lock = `${this.#file}.lock`
    try {
      makeFolder(this.#folder)
      writeFileSync(lock, '', { mode: 0o600, flag: 'wx' })
    } catch (error) {
      const problem =
        (error as NodeJS.ErrnoException).code === 'EEXIST'
          ? `another process is changing the keys; if none is, remove ${lock}`
          : `${lock} cannot be written: ${(error as Error).message}`
      throw new SecretKeyError(problem, { cause: error })
    }
    cleaningUp(change, () => rmSync(lock, { force: true }))
  }

  #keys(): readonly Key[] {
    const given = this.#env[SECRET_KEY_VARIABLE]
    const fromEnv = given ? parseKeys(given.split(','), SECRET_KEY_VARIABLE) : []
    return [...fromEnv, ...this.#fileKeys()]
  }

  #fileKeys(): readonly Key[] {
    this.#checkFolder()
    const stat = statSync(this.#file, { throwIfNoEntry: false })
    if (!stat) return []
    if ((stat.mode & 0o077) !== 0)
      throw new SecretKeyError(`${this.#file} can be read by other users; run: chmod 600 ${this.#file}`)
    const version = `${stat.ino} ${stat.mtimeMs} ${stat.size}`
    if (this.#read?.version !== version)
      this.#read = { version, keys: parseKeys((this.#fileText() ?? '').split('\n'), this.#file) }
    return this.#read.keys
  }

  /** A key that others could have put there would let them read our secrets. */
  #checkFolder(): void {
    try {
      checkPrivateFolder(this.#folder, [KEY_FILE_NAME])
    } catch (error) {
      throw new SecretKeyError((error as Error).message, { cause: error })
    }
  }

  #fileText(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8')
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return undefined
      throw new SecretKeyError(`${this.#file} cannot be read: ${message}`, { cause: error })
    }
  }

  /** Two processes may be first at the same time: the file is created atomically, and both use it. */
  #create(): void {
    this.#write(`${this.#newKey()}\n`, (draft, file) => {
      try {
        linkSync(draft, file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      } finally {
        void quietly(() => rmSync(draft, { force: true }))
      }
    })
  }

  #write(text: string, place: (draft: string, file: string) => void): void {
    const draft = `${this.#file}.${process.pid}.${randomBytes(4).toString('hex')}`
    try {
      makeFolder(this.#folder)
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
      // The umask may have removed the owner's permissions.
      chmodSync(draft, 0o600)
      place(draft, this.#file)
    } catch (error) {
      throw new SecretKeyError(`${this.#file} cannot be written: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }

  #newKey(): string {
    return this.#randomKey().toString('base64url')
  }
}

/** The keys in a text, one per line. Throws a {@link SecretKeyError} that names `where`. */
export function parseKeys(lines: readonly string[], where: string): Key[] {
  const texts = lines.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'))
  return texts.map((text, index) => {
    const key = keyOf(text)
    if (key) return key
    // Does not repeat the text: it may be a mistyped key.
    throw new SecretKeyError(
      `${where}: key ${index + 1} must be ${KEY_BYTES} bytes in base64 or hex, as from: openssl rand -base64 ${KEY_BYTES}`,
    )
  })
}
