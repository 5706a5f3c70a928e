import { present } from '../../failure/present.ts'

/** How many redirects are followed. */
const MOST = 10

/** A request, with the headers that the config gives. */
export interface HttpRequest {
  url: string
  method: string
  headers: Headers
  body?: string
  /** Whether to follow redirects; otherwise the answer is the redirect itself. */
  follow: boolean
  signal: AbortSignal
}

/**
 * Sends a request. Follows redirects of a read. At another origin (host, port, or http after https) it drops every header from the
 * config, and does not add them again later, because any of them may be a credential.
 */
export async function sendFollowing({
  url,
  method,
  headers,
  body,
  follow,
  signal,
}: HttpRequest): Promise<Response> {
  let at = new URL(url)
  let given = headers
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(at, {
      method,
      headers: given,
      ...present({ body }),
      redirect: 'manual',
      signal,
    })
    const next = follow ? targetOf(response, at) : undefined
    if (next === undefined) return response
    await response.body?.cancel()
    if (redirects === MOST) throw new Error(`${at.origin} redirected more than ${MOST} times`)
    if (next.origin !== at.origin) given = new Headers()
    at = next
  }
}

function targetOf(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, from.href)) return undefined
  const next = new URL(location, from)
  return next.protocol === 'http:' || next.protocol === 'https:' ? next : undefined
}
