/** A key that makes sending a request twice harmless. Not `randomUUID`, which a page without TLS lacks outside loopback. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `dashboard-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`
}
