/** So many redirects are followed. */
const MOST = 10

/** What is asked for, and the headers that the config gives with it. */
export interface HttpRequest {
  url: string
  method: string
  headers: Headers
  body?: string
  /** Redirects are followed; else the answer is the redirect itself. */
  follow: boolean
  signal: AbortSignal
}

/**
 * Sends a request. Redirects of a read are followed; at another origin (host, port, or http after https) it goes on
 * without any header that the config gave, and gets none back later: any of them may be a credential.
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
      ...(body === undefined ? {} : { body }),
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
