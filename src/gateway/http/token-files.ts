import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { checkPrivateFolder } from '../../config/private-folder.ts'
import { shellWord } from '../../config/shell-word.ts'

/** What a caller may do: everything, or only look. */
export type Access = 'full' | 'read_only'

/** Names of the token files in the data folder. */
export const TOKEN_FILES: Readonly<Record<Access, string>> = {
  full: 'http.token',
  read_only: 'http-read-only.token',
}

const TOKEN = /^mlg_[\w-]{43}$/

/** A token file cannot be used: says which, and what would be right. */
export class TokenError extends Error {
  override name = 'TokenError'
}

/**
 * The tokens of a data folder, one file each, which only their owner can read. They are made on first use and stay
 * until the file is removed.
 */
export class Tokens {
  readonly #hashes: ReadonlyMap<Access, Buffer>

  private constructor(hashes: ReadonlyMap<Access, Buffer>) {
    this.#hashes = hashes
  }

  /** Reads both tokens, and makes those that are missing. Throws a {@link TokenError}. */
  static open(folder: string): Tokens {
    const accesses = Object.keys(TOKEN_FILES) as Access[]
    return new Tokens(new Map(accesses.map(access => [access, sha256(tokenOf(folder, access))])))
  }

  /** What the holder of this token may do. Takes as long for a wrong one as for a right one. */
  accessOf(token: string): Access | undefined {
    const given = sha256(token)
    let found: Access | undefined
    for (const [access, hash] of this.#hashes) if (timingSafeEqual(hash, given)) found = access
    return found
  }
}

/** The token of a data folder, made if it is missing. Throws a {@link TokenError}. */
export function tokenOf(folder: string, access: Access): string {
  makeFolder(folder)
  checkPrivateFolder(folder, [TOKEN_FILES[access]])
  const file = join(folder, TOKEN_FILES[access])
  return readToken(file) ?? makeToken(file)
}

function readToken(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  if ((stat.mode & 0o077) !== 0)
    throw new TokenError(
      `${file} can be read by others than its owner; remove it, and a new one is made: rm ${shellWord(file)}`,
    )
  const token = readFileSync(file, 'utf8').trim()
  if (!TOKEN.test(token))
    throw new TokenError(`${file} holds no token; remove it, and a new one is made: rm ${shellWord(file)}`)
  return token
}

/** Whoever links first wins: two processes that start at once use the same token. */
function makeToken(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `mlg_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new TokenError(`${file} cannot be written: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
  return readToken(file) as string
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
