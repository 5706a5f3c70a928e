import { createHash, timingSafeEqual } from 'node:crypto'
import { present } from '../../failure/present.ts'
import { quietly } from '../../time/clean-up.ts'
import type { Time } from '../../time/time.ts'
import type { Scope } from './scope.ts'

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
  /** Where browsers are kept, so that a restart signs nobody out. Default: in memory only. */
  kept?: { read(): readonly KeptBrowser[]; write(browsers: readonly KeptBrowser[]): void }
}

/** What a browser may do, and by which token it came. */
export interface Standing {
  scope: Scope
  /** The team token by whose link it signed in: it ends with the token. Undefined for a code. */
  token?: string
}

/** A signed-in browser as it is kept: by the hash of its cookie. */
export interface KeptBrowser extends Standing {
  hash: string
  csrf: string
  expiresAt: number
}

/** A signed-in browser. */
export interface SignedIn extends Standing {
  /** The value of its cookie. */
  id: string
  /** Header value of its writes: a page of another origin can send the cookie, but cannot read this. */
  csrf: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Signs in browsers with one-time codes, or the link of a token. Codes are in memory: they last a minute. */
export class SignIn {
  readonly #deps: SignInDeps
  readonly #codes = new Map<string, { expiresAt: number; scope: Scope }>()
  readonly #browsers: Map<string, KeptBrowser>
  #wrong = 0

  constructor(deps: SignInDeps) {
    this.#deps = deps
    const now = deps.time.now()
    const kept = (deps.kept?.read() ?? []).filter(({ expiresAt }) => expiresAt > now)
    this.#browsers = new Map(kept.slice(-MOST_BROWSERS).map(browser => [browser.hash, browser]))
  }

  /** Makes a code that can be used once. */
  newCode(scope: Scope = 'admin'): { code: string; expiresAt: number } {
    const letters = [...this.#deps.randomBytes(CODE_LENGTH)].map(byte => ALPHABET[byte % ALPHABET.length])
    const code = letters.join('')
    const expiresAt = this.#deps.time.now() + CODE_VALID_MS
    this.#codes.set(hashOf(code), { expiresAt, scope })
    dropOldest(this.#codes, MOST_CODES)
    return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt }
  }

  /** Uses up a code. Undefined if it is wrong, used or expired. */
  redeem(given: string): SignedIn | undefined {
    const hash = hashOf(given.toUpperCase().replace(/[^0-9A-Z]/g, ''))
    const found = this.#codes.get(hash)
    this.#codes.delete(hash)
    if (found === undefined || found.expiresAt < this.#deps.time.now()) {
      this.#wrong += 1
      if (this.#wrong >= MOST_WRONG) {
        this.#codes.clear()
        this.#wrong = 0
      }
      return undefined
    }
    this.#wrong = 0
    return this.begin({ scope: found.scope })
  }

  /** The browser with this cookie; undefined if there is none or its sign-in has expired. */
  browserOf(id: string): SignedIn | undefined {
    const found = this.#browsers.get(hashOf(id))
    if (!found || found.expiresAt <= this.#deps.time.now()) return undefined
    const { csrf, expiresAt, scope, token } = found
    return { id, csrf, expiresAt, scope, ...present({ token }) }
  }

  /** Signs a browser out. */
  end(id: string): void {
    if (this.#browsers.delete(hashOf(id))) this.#keep()
  }

  /** Signs in a browser. */
  begin(standing: Standing): SignedIn {
    const [id, csrf] = [1, 2].map(() => this.#deps.randomBytes(32).toString('base64url')) as [string, string]
    const expiresAt = this.#deps.time.now() + SIGNED_IN_MS
    const hash = hashOf(id)
    this.#browsers.set(hash, { ...standing, hash, csrf, expiresAt })
    dropOldest(this.#browsers, MOST_BROWSERS)
    // A full disk must not keep anybody out: then the sign-in ends with the daemon.
    void quietly(() => this.#keep())
    return { ...standing, id, csrf, expiresAt }
  }

  #keep(): void {
    this.#deps.kept?.write([...this.#browsers.values()])
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
