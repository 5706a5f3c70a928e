import { z } from 'zod'
import { moment } from '../../../shape/value.ts'
import { timeToJson } from '../../../time/time-json.ts'
import type { Guard } from '../guard.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { includes, SCOPES } from '../scope.ts'
import { SIGNED_IN_MS, type SignIn } from '../sign-in.ts'

/** Collaborators of the sign-in routes. */
export interface SignInDeps {
  signIn: SignIn
  guard: Guard
  /** Name of the browsers' cookie. */
  cookie: string
  /** Whether the cookie is sent over TLS only. */
  isSecure: boolean
}

/** Signing in with a one-time code, for browsers: programs use a token. */
export function signInRoutes({ signIn, guard, cookie, isSecure }: SignInDeps): readonly Route[] {
  const cookieText = (value: string, maxAgeMs: number) =>
    `${cookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeMs / 1000}${isSecure ? '; Secure' : ''}`

  /** A token of the team, or the read-only one. The full one stays in its file. */
  const byToken = (text: string) => {
    const caller = text.startsWith('mlg_') ? guard.callerOfToken(text) : undefined
    if (!caller) return undefined
    // It would stay in the browser's history, where a link put it.
    if (caller.scope === 'admin')
      throw new Problem(
        403,
        'code_needed',
        'a token that may do everything cannot sign a browser in; use a one-time code (mulligan http code), or a token with scope read, submit or operate (mulligan http token new NAME --scope operate)',
      )
    const token = caller.isOwner ? {} : { token: caller.name.slice('token '.length) }
    return signIn.begin({ scope: caller.scope, ...token })
  }

  const newCode = route({
    method: 'post',
    path: '/v1/sign_in_codes',
    id: 'newSignInCode',
    summary: 'Make a code that signs in one browser within a minute',
    demand: 'admin',
    body: z.strictObject({
      scope: z.enum(SCOPES).optional().describe('What the browser may do. Default admin.'),
    }),
    bodyOptional: true,
    answers: {
      201: { description: 'The code', schema: z.object({ code: z.string(), expires_at: moment }) },
    },
    run({ body: { scope } }) {
      const { code, expiresAt } = signIn.newCode(scope)
      return { status: 201, json: { code, expires_at: timeToJson(expiresAt) } }
    },
  })

  const enter = route({
    method: 'post',
    path: '/v1/sign_in',
    id: 'signIn',
    summary: 'Sign in a browser with a one-time code or the token of a team; sets a cookie',
    demand: 'open',
    body: z.strictObject({ code: z.string().min(1).max(100).describe('A code, or a token.') }),
    maxBodyBytes: 1_000,
    answers: {
      200: {
        description: 'Signed in',
        schema: z.object({
          csrf: z.string().describe('Send it as x-mulligan-csrf with every write.'),
          expires_at: moment,
        }),
      },
    },
    async run({ body: { code }, signal }) {
      const browser = byToken(code) ?? (code.startsWith('mlg_') ? undefined : signIn.redeem(code))
      if (!browser)
        throw await guard.refuse(
          'the code is wrong, used or older than a minute, or the token is revoked; for a new code: mulligan http code',
          signal,
        )
      const { id, csrf, expiresAt } = browser
      return {
        json: { csrf, expires_at: timeToJson(expiresAt) },
        headers: { 'set-cookie': cookieText(id, SIGNED_IN_MS) },
      }
    },
  })

  const leave = route({
    method: 'post',
    path: '/v1/sign_out',
    id: 'signOut',
    summary: 'Sign out this browser',
    demand: 'look',
    answers: { 200: { description: 'Signed out', schema: z.object({ signed_out: z.boolean() }) } },
    run({ caller }) {
      if (caller?.browser) signIn.end(caller.browser.id)
      const headers = { 'set-cookie': cookieText('', 0) }
      return { json: { signed_out: caller?.browser !== undefined }, headers }
    },
  })

  const whoAmI = route({
    method: 'get',
    path: '/v1/caller',
    id: 'getCaller',
    summary: "The caller's access, and the last event; for a browser, also its csrf value",
    demand: 'look',
    answers: {
      200: {
        description: 'The caller',
        schema: z.object({
          access: z.enum(['full', 'read_only']),
          scope: z.enum(SCOPES),
          name: z.string().describe('Who the record of changes says it is.'),
          last_event: z
            .number()
            .describe('A stream that starts after it misses nothing that happens from now on.'),
          csrf: z.string().optional(),
          expires_at: moment.optional(),
        }),
      },
    },
    async run({ caller }, { ledger }) {
      const { scope = 'read', name = '', browser } = caller ?? {}
      return {
        json: {
          access: includes(scope, 'operate') ? ('full' as const) : ('read_only' as const),
          scope,
          name,
          last_event: await ledger.lastEvent(),
          ...(browser ? { csrf: browser.csrf, expires_at: timeToJson(browser.expiresAt) } : {}),
        },
        // The csrf value must not lie in a browser's cache on disk.
        headers: { 'cache-control': 'no-store' },
      }
    },
  })

  return [newCode, enter, leave, whoAmI]
}
