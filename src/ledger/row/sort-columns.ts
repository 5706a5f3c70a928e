import type { SortKey } from '../filter.ts'

/** The column of each key that operations can be sorted by. */
export const SORT_COLUMNS: Readonly<Record<SortKey, string>> = {
  capability: 'capability',
  tries: 'attempts',
  cost: 'cost_usd',
  changed: 'updated_at',
}
