import type { Provider } from '../api/answers.ts'

const PREFIX = 'surface:'

/** What people call a provider: a surface has its own name. */
export function providerInWords(id: string): string {
  return id.startsWith(PREFIX) ? `${id.slice(PREFIX.length)} (surface)` : id
}

/** Whether a provider is a surface for notices: it has health like any other, but serves no work. */
export function isSurface({ id }: Pick<Provider, 'id'>): boolean {
  return id.startsWith(PREFIX)
}
