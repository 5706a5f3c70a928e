import type { AccessState } from './provider-access-state.ts'

/** Operations that are due, by a provider's name or the names of a pool as JSON. */
export interface Counted {
  by: string
  n: number
}

/**
 * How many more operations are held for each provider than are marked so: those that are due with all providers closed, minus
 * those that are marked and due but could be claimed. An operation of a pool is held for the provider that is free first.
 * @param waiting due operations without a mark, by their providers as JSON
 * @param marked due operations with a mark, by the provider they are held for
 */
export function holdsByProvider(
  states: ReadonlyMap<string, AccessState>,
  waiting: readonly Counted[],
  marked: readonly Counted[],
): Readonly<Record<string, number>> {
  const more = new Map<string, number>()
  const add = (provider: string, count: number) => more.set(provider, (more.get(provider) ?? 0) + count)
  const endOf = (provider: string) => {
    const access = states.get(provider)
    return access?.state === 'closed' ? access.until : undefined
  }
  for (const { by, n } of waiting) {
    const ends = (JSON.parse(by) as string[]).map(id => ({ id, end: endOf(id) }))
    const first = ends.reduce((a, b) => ((b.end ?? 0) < (a.end ?? 0) ? b : a))
    if (ends.every(({ end }) => end !== undefined)) add(first.id, n)
  }
  for (const { by, n } of marked) {
    const state = states.get(by)?.state
    if (state !== 'closed' && state !== 'opening') add(by, -n)
  }
  return Object.fromEntries(more)
}
