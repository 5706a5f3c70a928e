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
