import { providerName } from '../../../src/provider/provider-name.ts'
import type { Provider } from '../api/answers.ts'

const PREFIX = 'surface:'

/** What people call a provider; a surface has its own name. */
export function providerInWords(id: string): string {
  return id.startsWith(PREFIX) ? `${id.slice(PREFIX.length)} (surface)` : providerName(id)
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
