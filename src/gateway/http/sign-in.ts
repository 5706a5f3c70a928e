import { createHash, timingSafeEqual } from 'node:crypto'
import type { Time } from '../../time/time.ts'

/** How long a code can be used, in milliseconds. */
export const CODE_VALID_MS = 60_000
/** How long a browser stays signed in, in milliseconds. */
export const SIGNED_IN_MS = 12 * 3_600_000

/** This many wrong codes in a row void all codes, because codes are short and must not be guessed. */
const MOST_WRONG = 5
const MOST_CODES = 10
const MOST_BROWSERS = 100
/** Letters and digits that do not look alike. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

/** Collaborators of {@link SignIn}. */
export interface SignInDeps {
  time: Pick<Time, 'now'>
  /** Random bytes. */
  randomBytes: (count: number) => Buffer
}

/** A signed-in browser. */
export interface SignedIn {
  /** The value of its cookie. */
  id: string
  /** Header value of its writes: a page of another origin can send the cookie, but cannot read this. */
  csrf: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Signs in browsers with one-time codes. Keeps everything in memory: a restart signs out all browsers. */
export class SignIn {
  readonly #deps: SignInDeps
  readonly #codes = new Map<string, number>()
  readonly #browsers = new Map<string, Omit<SignedIn, 'id'>>()
  #wrong = 0

  constructor(deps: SignInDeps) {
    this.#deps = deps
  }

  /** Makes a code that can be used once. */
  newCode(): { code: string; expiresAt: number } {
    const letters = [...this.#deps.randomBytes(CODE_LENGTH)].map(byte => ALPHABET[byte % ALPHABET.length])
    const code = letters.join('')
    const expiresAt = this.#deps.time.now() + CODE_VALID_MS
    this.#codes.set(hashOf(code), expiresAt)
    dropOldest(this.#codes, MOST_CODES)
    return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt }
  }

  /** Uses up a code. Undefined if it is wrong, used or expired. */
  redeem(given: string): SignedIn | undefined {
    const hash = hashOf(given.toUpperCase().replace(/[^0-9A-Z]/g, ''))
    const expiresAt = this.#codes.get(hash)
    this.#codes.delete(hash)
    if (expiresAt === undefined || expiresAt < this.#deps.time.now()) {
      this.#wrong += 1
      if (this.#wrong >= MOST_WRONG) {
        this.#codes.clear()
        this.#wrong = 0
      }
      return undefined
    }
    this.#wrong = 0
    return this.#begin()
  }

  /** The browser with this cookie; undefined if there is none or its sign-in has expired. */
  browserOf(id: string): SignedIn | undefined {
    const found = this.#browsers.get(hashOf(id))
    return found && found.expiresAt > this.#deps.time.now() ? { id, ...found } : undefined
  }

  /** Signs a browser out. */
  end(id: string): void {
    this.#browsers.delete(hashOf(id))
  }

  #begin(): SignedIn {
    const [id, csrf] = [1, 2].map(() => this.#deps.randomBytes(32).toString('base64url')) as [string, string]
    const expiresAt = this.#deps.time.now() + SIGNED_IN_MS
    this.#browsers.set(hashOf(id), { csrf, expiresAt })
    dropOldest(this.#browsers, MOST_BROWSERS)
    return { id, csrf, expiresAt }
  }
}

/** Whether two texts are equal, compared in constant time. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
}

/** Secrets are looked up by hash, so timing reveals nothing about them. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
