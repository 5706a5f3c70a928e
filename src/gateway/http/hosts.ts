import { isIP } from 'node:net'

/** Names by which a machine reaches itself. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** An address as written in a URL. */
export function hostOf(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address
}

/**
 * The host names that a request may address. A stranger's page can point its own name at this machine (DNS rebinding),
 * but its requests then carry that name.
 */
export class Hosts {
  readonly #names: ReadonlySet<string>

  /** @param more further names, such as that of a reverse proxy */
  constructor(address: string, more: readonly string[]) {
    const own = isLoopback(address) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, hostOf(address)]
    this.#names = new Set([...own, hostOf(address), ...more].map(name => name.toLowerCase()))
  }

  /** Whether a Host header names this daemon. The port may differ, because a tunnel may use another. */
  allows(host: string | undefined): boolean {
    const name = host?.toLowerCase().replace(/:\d{1,5}$/, '')
    return name !== undefined && this.#names.has(name)
  }

  /** Whether a request comes from a page of this daemon or from a program. */
  isOwnOrigin(host: string | undefined, origin: string | undefined, fetchSite: string | undefined): boolean {
    if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false
    if (origin === undefined) return true
    return host !== undefined && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase())
  }
}
