/** A provider that callers of the proxy reach with a key of their own: its name, and a mark of the key. */
const OWN_KEY = /^(.+)~[0-9a-f]{8}$/

/** Whether a provider stands for callers of the proxy with a key of their own: nobody types its id. */
export function isOwnKey(id: string): boolean {
  return OWN_KEY.test(id)
}

/** What people call a provider: a mark of somebody's key says nothing to anybody. */
export function providerName(id: string): string {
  const [, name] = OWN_KEY.exec(id) ?? []
  return name === undefined ? id : `${name} (a caller's own key)`
}

/** That a provider refuses its login. */
export function loginIsRefused(id: string): string {
  return isOwnKey(id) ? `${providerName(id)} is refused` : `${id}'s login is refused`
}

/** Prefix of the providers that stand for surfaces, one each: a surface that is down does not delay the others. */
export const SURFACE_PREFIX = 'surface:'

/** Name of the provider that stands for a surface. */
export function surfaceProviderOf(surface: string): string {
  return `${SURFACE_PREFIX}${surface}`
}

/** Whether a provider stands for a surface. */
export function isSurface(provider: string | undefined): boolean {
  return provider?.startsWith(SURFACE_PREFIX) ?? false
}
