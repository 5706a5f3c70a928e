import type { FailedLogins } from './failed-logins.ts'
import type { Hosts } from './hosts.ts'
import { Problem } from './problem.ts'
import type { Caller } from './route.ts'
import type { Demand } from './scope.ts'
import { includes, type Scope, scopeFor } from './scope.ts'
import { isSame, SIGNED_IN_MS, type SignIn } from './sign-in.ts'
import type { TeamTokens } from './team-tokens.ts'
import type { Access, Tokens } from './token-files.ts'

/** The header that a signed-in browser must send with every write. */
export const CSRF_HEADER = 'x-mulligan-csrf'

/** Collaborators of a {@link Guard}. */
export interface GuardDeps {
  hosts: Hosts
  tokens: Tokens
  team: TeamTokens
  signIn: SignIn
  now: () => number
  /** Who signs in by the header of a proxy. Default nobody. */
  proxy?: TrustedProxy
  failedLogins: FailedLogins
  /** Name of the browsers' cookie. */
  cookie: string
}

/** A proxy that has signed people in, and says who they are. */
export interface TrustedProxy {
  /** The header with the name of the person. */
  header: string
  /** Addresses of the proxy: nobody else may send the header. */
  addresses: readonly string[]
  scope: Scope
}

type Header = (name: string) => string | undefined

/** What the two tokens of the data folder may do. */
const SCOPE_OF: Readonly<Record<Access, Scope>> = { full: 'admin', read_only: 'read' }

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
  async admit(
    demand: Demand,
    header: Header,
    signal: () => AbortSignal,
    remote?: string,
  ): Promise<Caller | undefined> {
    if (demand === 'open') return undefined
    const caller = this.#callerOf(header, remote)
    if (caller === undefined) throw await this.#refusal(header, signal())
    const needed = scopeFor(demand)
    if (!includes(caller.scope, needed))
      throw new Problem(403, 'read_only', `${caller.name} may only ${caller.scope}, and this needs ${needed}`)
    if (demand === 'look') return caller
    const { browser } = caller
    if (browser && !isSame(header(CSRF_HEADER) ?? '', browser.csrf))
      throw new Problem(403, 'csrf', `send the csrf value from signing in as the header ${CSRF_HEADER}`)
    return caller
  }

  /** Whether somebody who was admitted may still read: a token may have been revoked, or have ended. */
  mayStillLook(header: Header, remote: string | undefined): boolean {
    return this.#callerOf(header, remote) !== undefined
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

  /** The scope of a token, of the data folder or of the team. */
  callerOfToken(token: string): Caller | undefined {
    const { tokens, team, now } = this.#deps
    const access = tokens.accessOf(token)
    if (access)
      return {
        scope: SCOPE_OF[access],
        name: `the ${access === 'full' ? 'full' : 'read-only'} token`,
        isOwner: true,
      }
    const named = team.use(token, now())
    return named && { scope: named.scope, name: `token ${named.name}`, isOwner: false }
  }

  #callerOf(header: Header, remote: string | undefined): Caller | undefined {
    const { team, signIn, cookie, now } = this.#deps
    const authorization = header('authorization')
    if (authorization !== undefined) {
      const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
      return token === undefined ? undefined : this.callerOfToken(token)
    }
    // Any program on this host can give a browser a second cookie of this name, which must not sign it out.
    for (const id of cookiesOf(header('cookie'), cookie)) {
      const browser = signIn.browserOf(id)
      if (!browser) continue
      const { token } = browser
      // A browser that came by the link of a token may no more than the token, and leaves with it.
      const named = token === undefined ? undefined : team.named(token, now())
      // Nor does it stay because another token has its name now.
      if (token !== undefined && (!named || named.createdAt > browser.expiresAt - SIGNED_IN_MS)) continue
      const name = token === undefined ? 'browser' : `browser of token ${token}`
      return { scope: named?.scope ?? browser.scope, name, isOwner: false, browser }
    }
    return this.#ofProxy(header, remote)
  }

  /** Whoever the proxy names; from any other address the header means nothing. */
  #ofProxy(header: Header, remote: string | undefined): Caller | undefined {
    const { proxy } = this.#deps
    if (!proxy || remote === undefined || !proxy.addresses.includes(remote.replace(/^::ffff:/, '')))
      return undefined
    const person = header(proxy.header)?.trim()
    if (!person) return undefined
    return { scope: proxy.scope, name: `${person.slice(0, LONGEST_NAME)} by proxy`, isOwner: false }
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

const LONGEST_NAME = 100
/** The form of our cookies: another program may plant as many of this name as fit into a header, and each takes a hash. */
const COOKIE = /^[\w-]{43}$/

/** The values of the cookies with this name. */
function cookiesOf(header: string | undefined, name: string): string[] {
  const values: string[] = []
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    const value = part.slice(at + 1).trim()
    if (at > 0 && part.slice(0, at).trim() === name && COOKIE.test(value)) values.push(value)
  }
  return values
}
