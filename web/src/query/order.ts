import { MOST_SORTED, SORT_KEYS, type SortKey } from '../../../src/ledger/filter.ts'
import { countInWords } from '../words/number.ts'

export type { SortKey }

/** The order of a list as the query string of the API; empty for newest first. */
export function orderOf(search: URLSearchParams): string {
  const sort = SORT_KEYS.find(key => key === search.get('sort'))
  if (sort === undefined) return ''
  return `sort=${sort}${search.get('ascending') === 'true' ? '&ascending=true' : ''}`
}

/** The order after a click on a column: largest first, smallest first, newest first again. */
export function nextOrder(order: string, key: SortKey): string {
  if (order === `sort=${key}`) return `sort=${key}&ascending=true`
  return order === `sort=${key}&ascending=true` ? '' : `sort=${key}`
}

/** What a sorted list leaves out, which is one page; empty if that is nothing. */
export function leftOutInWords(order: string, shown: number, total: number): string {
  if (order === '' || shown >= total) return ''
  const among = total > MOST_SORTED ? `, sorted among the newest ${countInWords(MOST_SORTED)}` : ''
  return `only the first ${countInWords(shown)} are shown${among}`
}
