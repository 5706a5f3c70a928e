import type { FailedLogins } from './failed-logins.ts'
import type { Hosts } from './hosts.ts'
import { Problem } from './problem.ts'
import type { Caller, Demand } from './route.ts'
import { isSame, type SignIn } from './sign-in.ts'
import type { Tokens } from './token-files.ts'

/** The header that a signed-in browser must send with every write. */
export const CSRF_HEADER = 'x-mulligan-csrf'

/** Collaborators of a {@link Guard}. */
export interface GuardDeps {
  hosts: Hosts
  tokens: Tokens
  signIn: SignIn
  failedLogins: FailedLogins
  /** Name of the browsers' cookie. */
  cookie: string
}

type Header = (name: string) => string | undefined

/** Decides which requests may pass. */
export class Guard {
  readonly #deps: GuardDeps

  constructor(deps: GuardDeps) {
    this.#deps = deps
  }

  /** Refuses requests for another host, or from a page of another origin. Throws a {@link Problem}. */
  checkPlace(header: Header): void {
    this.checkHost(header)
    if (!this.#deps.hosts.isOwnOrigin(header('host'), header('origin'), header('sec-fetch-site')))
      throw new Problem(403, 'foreign_origin', 'requests from pages of another origin are refused')
  }

  /** Refuses requests for another host. Throws a {@link Problem}. */
  checkHost(header: Header): void {
    if (!this.#deps.hosts.allows(header('host')))
      throw new Problem(
        403,
        'foreign_host',
        'this host name is not allowed; add it to hosts in [http], or use the address itself',
      )
  }

  /** The caller, if it may use the route. Throws a {@link Problem}. */
  async admit(demand: Demand, header: Header, signal: () => AbortSignal): Promise<Caller | undefined> {
    if (demand === 'open') return undefined
    const caller = this.#callerOf(header)
    if (caller === undefined) throw await this.#refusal(header, signal())
    if (demand === 'look') return caller
    if (caller.access === 'read_only')
      throw new Problem(403, 'read_only', 'the read-only token cannot change anything; use the full one')
    const { browser } = caller
    if (browser && !isSame(header(CSRF_HEADER) ?? '', browser.csrf))
      throw new Problem(403, 'csrf', `send the csrf value from signing in as the header ${CSRF_HEADER}`)
    return caller
  }

  /** The problem for a wrong code or token. Waits first, longer after each failure. */
  async refuse(message: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Problem> {
    const waited = await this.#deps.failedLogins.slowDown(signal)
    return waited
      ? new Problem(401, 'unauthorized', message, { headers })
      : new Problem(429, 'too_many_failures', 'too many wrong tokens or codes; try again in a few seconds', {
          headers: { 'retry-after': '5' },
        })
  }

  #callerOf(header: Header): Caller | undefined {
    const { tokens, signIn, cookie } = this.#deps
    const authorization = header('authorization')
    if (authorization !== undefined) {
      const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
      const access = token === undefined ? undefined : tokens.accessOf(token)
      return access && { access }
    }
    // Any program on this host can give a browser a second cookie of this name, which must not sign it out.
    for (const id of cookiesOf(header('cookie'), cookie)) {
      const browser = signIn.browserOf(id)
      if (browser) return { access: 'full', browser }
    }
    return undefined
  }

  async #refusal(header: Header, signal: AbortSignal): Promise<Problem> {
    const challenge = { 'www-authenticate': 'Bearer realm="mulligan"' }
    const isGiven = header('authorization') !== undefined
    const remedy = '"mulligan http token" prints its file'
    // A caller without a token is not guessing, so it is not delayed.
    return isGiven
      ? this.refuse(`the token is wrong; ${remedy}`, signal, challenge)
      : new Problem(401, 'unauthorized', `send the token as Authorization: Bearer TOKEN; ${remedy}`, {
          headers: challenge,
        })
  }
}

/** Most cookies of one name that are looked at: each takes a hash. */
const MOST_COOKIES = 5

/** The values of the cookies with this name. */
function cookiesOf(header: string | undefined, name: string): string[] {
  const values: string[] = []
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) values.push(part.slice(at + 1).trim())
  }
  return values.slice(0, MOST_COOKIES)
}
