/** The target of a request as a URL; an invalid one becomes the root, because a caller may send anything. */
export function urlOf(target: string): URL {
  const url = target.startsWith('/') ? `http://lab${target}` : 'http://lab/'
  return URL.canParse(url) ? new URL(url) : new URL('http://lab/')
}
