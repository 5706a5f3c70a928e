/** An HTTP response as printed by `curl -i`; undefined if the text has no status line. */
export function parseHttpResponse(
  text: string,
): { status: number; headers: Record<string, string>; body: string } | undefined {
  const normal = text.replaceAll('\r\n', '\n')
  // An interim response (100 Continue) or a proxy's response may come first.
  const start = [...normal.matchAll(/^HTTP\/[\d.]+ (\d{3})[^\n]*$/gm)].findLast(match =>
    isStatusLine(normal, match.index),
  )
  if (!start) return undefined
  const [head = '', ...rest] = normal.slice(start.index).split('\n\n')
  const headers: Record<string, string> = {}
  for (const line of head.split('\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { status: Number(start[1]), headers, body: rest.join('\n\n').trim() }
}

/** A status line comes first or after an empty line. */
function isStatusLine(text: string, at: number): boolean {
  return at === 0 || text.slice(0, at).trim() === '' || text.slice(at - 2, at) === '\n\n'
}
