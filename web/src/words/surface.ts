import type { Provider } from '../api/answers.ts'

/** Whether a provider is a surface for notices: it has health like any other, but serves no work. */
export function isSurface({ id }: Pick<Provider, 'id'>): boolean {
  return id.startsWith('surface:')
}
