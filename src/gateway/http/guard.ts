import type { FailedLogins } from './failed-logins.ts'
import type { Hosts } from './hosts.ts'
import { Problem } from './problem.ts'
import type { Caller, Demand } from './route.ts'
import { isSame, type SignIn } from './sign-in.ts'
import type { Tokens } from './token-files.ts'

/** The header that writes of a signed-in browser carry. */
export const CSRF_HEADER = 'x-mulligan-csrf'

/** What the guard asks. */
export interface GuardDeps {
  hosts: Hosts
  tokens: Tokens
  signIn: SignIn
  failedLogins: FailedLogins
  /** Name of the cookie of browsers. */
  cookie: string
}

type Header = (name: string) => string | undefined

/** Lets in who may come in. */
export class Guard {
  readonly #deps: GuardDeps

  constructor(deps: GuardDeps) {
    this.#deps = deps
  }

  /** Refuses what was meant for another host, and what a foreign page has sent. Throws a {@link Problem}. */
  checkPlace(header: Header): void {
    this.checkHost(header)
    if (!this.#deps.hosts.isOwnOrigin(header('host'), header('origin'), header('sec-fetch-site')))
      throw new Problem(403, 'foreign_origin', 'requests of pages from elsewhere are refused')
  }

  /** Refuses what was meant for another host. Throws a {@link Problem}. */
  checkHost(header: Header): void {
    if (!this.#deps.hosts.allows(header('host')))
      throw new Problem(
        403,
        'foreign_host',
        'this host name is not known here; add it to hosts of [http], or use the address itself',
      )
  }

  /** Who asks, if they may. Throws a {@link Problem}. */
  async admit(demand: Demand, header: Header, signal: AbortSignal): Promise<Caller | undefined> {
    if (demand === 'open') return undefined
    const caller = this.#callerOf(header)
    if (caller === undefined) throw await this.#refusal(header, signal)
    if (demand === 'look') return caller
    if (caller.access === 'read_only')
      throw new Problem(403, 'read_only', 'the read-only token changes nothing; use the full one')
    const { browser } = caller
    if (browser && !isSame(header(CSRF_HEADER) ?? '', browser.csrf))
      throw new Problem(403, 'csrf', `send the csrf value that signing in gave as ${CSRF_HEADER}`)
    return caller
  }

  /** A wrong code or token: the answer comes the later, the more of them there were. */
  async refuse(message: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Problem> {
    const waited = await this.#deps.failedLogins.slowDown(signal)
    return waited
      ? new Problem(401, 'unauthorized', message, { headers })
      : new Problem(429, 'too_many_failures', 'too many wrong tokens or codes; wait a little', {
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
    const id = cookieOf(header('cookie'), cookie)
    const browser = id === undefined ? undefined : signIn.browserOf(id)
    return browser && { access: 'full', browser }
  }

  async #refusal(header: Header, signal: AbortSignal): Promise<Problem> {
    const challenge = { 'www-authenticate': 'Bearer realm="mulligan"' }
    const isGiven = header('authorization') !== undefined
    const remedy = '"mulligan http token" says where it is'
    // Whoever gives nothing guesses nothing, and is not kept waiting.
    return isGiven
      ? this.refuse(`the token is wrong; ${remedy}`, signal, challenge)
      : new Problem(401, 'unauthorized', `send the token as Authorization: Bearer TOKEN; ${remedy}`, {
          headers: challenge,
        })
  }
}

/** The value of one cookie. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
