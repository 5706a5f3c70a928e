import type { Provider } from '../api/answers.ts'

const PREFIX = 'surface:'

/** A provider that callers of the proxy reach with a key of their own: its name, and a mark of the key. */
const OWN_KEY = /^(.+)~[0-9a-f]{8}$/

/** What people call a provider: a surface has its own name, and a mark of somebody's key says nothing to anybody. */
export function providerInWords(id: string): string {
  const [, name] = OWN_KEY.exec(id) ?? []
  if (name !== undefined) return `${name} (a caller's own key)`
  return id.startsWith(PREFIX) ? `${id.slice(PREFIX.length)} (surface)` : id
}

/** That a provider refuses its login. */
export function loginIsRefused(id: string): string {
  return OWN_KEY.test(id) ? `${providerInWords(id)} is refused` : `${id}'s login is refused`
}

/** Whether a provider serves what it is asked; one whose login is refused takes a call from time to time, to test it. */
export function canServe({
  admits,
  login_refused: isRefused,
}: Pick<Provider, 'admits' | 'login_refused'>): boolean {
  return admits && !isRefused
}

/** Whether a provider is a surface for notices: it has health like any other, but serves no work. */
export function isSurface({ id }: Pick<Provider, 'id'>): boolean {
  return id.startsWith(PREFIX)
}
