import type { Preview } from './answers.ts'
import { post } from './request.ts'

/** Operations that may already have taken effect, which nothing can check: running them again may do it twice. */
export async function inDoubt(ids: readonly string[]): Promise<{ id: string; why: string }[]> {
  if (ids.length === 0) return []
  const { operations } = await post<Preview>('/v1/operations/bulk/preview', {
    action: 'retry',
    filter: { id: ids },
  })
  return operations.flatMap(({ id, needs_person: why }) => (why === undefined ? [] : [{ id, why }]))
}
