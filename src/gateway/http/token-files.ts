import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createWhole } from '../../config/create-whole.ts'
import { makeFolder } from '../../config/make-folder.ts'
import { checkPrivateFolder } from '../../config/private-folder.ts'
import { shellWord } from '../../option/shell-word.ts'

/** What a caller may do: everything, or only read. */
export type Access = 'full' | 'read_only'

/** Names of the token files in the data folder. */
export const TOKEN_FILES: Readonly<Record<Access, string>> = {
  full: 'http.token',
  read_only: 'http-read-only.token',
}

const TOKEN = /^mlg_[\w-]{43}$/

/** A token file cannot be used. The message names the file and the fix. */
export class TokenError extends Error {
  override name = 'TokenError'
}

/**
 * The tokens of a data folder, one file each, which only the owner can read. They are created on first use and stay valid
 * until the file is removed.
 */
export class Tokens {
  readonly #hashes: ReadonlyMap<Access, Buffer>

  private constructor(hashes: ReadonlyMap<Access, Buffer>) {
    this.#hashes = hashes
  }

  /** Reads both tokens, and creates missing ones. Throws a {@link TokenError}. */
  static open(folder: string): Tokens {
    const accesses = Object.keys(TOKEN_FILES) as Access[]
    return new Tokens(new Map(accesses.map(access => [access, sha256(tokenOf(folder, access))])))
  }

  /** The access of a token; undefined if it is wrong. Takes constant time. */
  accessOf(token: string): Access | undefined {
    const given = sha256(token)
    let found: Access | undefined
    for (const [access, kept] of this.#hashes) if (timingSafeEqual(kept, given)) found = access
    return found
  }
}

/** The token of a data folder, created if missing. Throws a {@link TokenError}. */
export function tokenOf(folder: string, access: Access): string {
  return tokenIn(folder, TOKEN_FILES[access])
}

/** The token in a file of a data folder, created if missing. Throws a {@link TokenError}. */
export function tokenIn(folder: string, name: string): string {
  makeFolder(folder)
  checkPrivateFolder(folder, [name])
  const file = join(folder, name)
  return readToken(file) ?? makeToken(file)
}

function readToken(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  if ((stat.mode & 0o077) !== 0)
    throw new TokenError(`other users can read ${file}; remove it to get a new one: rm ${shellWord(file)}`)
  const token = readFileSync(file, 'utf8').trim()
  if (!TOKEN.test(token))
    throw new TokenError(`${file} contains no valid token; remove it to get a new one: rm ${shellWord(file)}`)
  return token
}

function makeToken(file: string): string {
  try {
    createWhole(file, `mlg_${randomBytes(32).toString('base64url')}\n`)
  } catch (error) {
    throw new TokenError(`${file} cannot be written: ${(error as Error).message}`, { cause: error })
  }
  return readToken(file) as string
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
