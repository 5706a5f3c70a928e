import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { cleaningUp, quietly } from '../../../time/clean-up.ts'
import { UsageError } from '../../flag/arguments.ts'

/** Larger than any client config. */
const LARGEST_BYTES = 64 * 1_048_576

/** A file that belongs to another program. */
export class ClientFile {
  readonly file: string
  /** Its text when it was read; empty if it did not exist. */
  readonly text: string
  readonly #mode: number | undefined
  readonly #within: string | undefined

  private constructor(file: string, text: string, mode: number | undefined, within: string | undefined) {
    this.#within = within
    this.file = file
    this.text = text
    this.#mode = mode
  }

  /** Whether it existed when it was read. */
  get isThere(): boolean {
    return this.#mode !== undefined
  }

  /** Throws a {@link UsageError} if the user has made it read-only: replacing it would not even ask. */
  checkWritable(): void {
    if (this.#mode !== undefined && (this.#mode & 0o200) === 0)
      throw new UsageError(
        `${this.file} is read-only; nothing was changed; to allow it: chmod u+w ${this.file}`,
      )
  }

  /**
   * Reads the file. Throws a {@link UsageError} if it is not a regular file, because a link may lead anywhere.
   * @param within the folder of a project, which somebody else may have written: no folder between it and the file may be a link
   */
  static read(file: string, within?: string): ClientFile {
    if (within !== undefined) refuseLinks(file, within)
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (!stat) return new ClientFile(file, '', undefined, within)
    if (stat.isSymbolicLink())
      throw new UsageError(
        `${file} is a symbolic link, which is not followed; change the file it leads to by hand`,
      )
    if (!stat.isFile()) throw new UsageError(`${file} is not a file`)
    if (stat.size > LARGEST_BYTES) throw new UsageError(`${file} is too large to be a config`)
    return new ClientFile(file, textOf(file), stat.mode & 0o777, within)
  }

  /** Replaces the file atomically. Throws a {@link UsageError} if it has changed since it was read. */
  write(text: string): void {
    const now = ClientFile.read(this.file, this.#within)
    if (now.text !== this.text || now.isThere !== this.isThere)
      throw new UsageError(`${this.file} was changed meanwhile; nothing was written, run the command again`)
    const folder = dirname(this.file)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const draft = join(folder, `.mulligan-${randomBytes(6).toString('hex')}.tmp`)
    try {
      const handle = openSync(draft, 'wx', 0o600)
      cleaningUp(
        () => {
          writeFileSync(handle, text)
          fsyncSync(handle)
        },
        () => closeSync(handle),
      )
      if (this.#mode !== undefined) chmodSync(draft, this.#mode)
      renameSync(draft, this.file)
    } catch (error) {
      void quietly(() => rmSync(draft, { force: true }))
      throw error
    }
  }
}

/** Other bytes than UTF-8 would be lost when it is written again. */
function textOf(file: string): string {
  const bytes = readFileSync(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`${file} is not UTF-8, so it cannot be changed safely; change it by hand`)
  }
}

function refuseLinks(file: string, within: string): void {
  let at = within
  for (const part of relative(within, dirname(file)).split(sep)) {
    if (part === '') continue
    at = join(at, part)
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${at} is a symbolic link, which is not followed; it may lead out of the project`)
  }
}
