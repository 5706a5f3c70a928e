import { DELIVERY_PREFIX } from '../delivery-name.ts'
import type { SortKey } from '../filter.ts'

/** Fields of a filter that a column answers as they are. */
export const FILTER_COLUMNS = [
  ['session', 'session'],
  ['agentSession', 'agent_session'],
  ['fingerprint', 'fingerprint'],
  ['parkedFor', 'parked_for'],
  ['deadAs', 'dead_as'],
  ['kind', 'kind'],
  ['class', 'class'],
] as const

/** The column of each key that operations can be sorted by. */
export const SORT_COLUMNS: Readonly<Record<SortKey, string>> = {
  capability: 'capability',
  tries: 'attempts',
  cost: 'cost_usd',
  changed: 'updated_at',
}

const only = `substr(capability, 1, ${DELIVERY_PREFIX.length}) = '${DELIVERY_PREFIX}'`

/** SQL that is true for deliveries of notices, or for all else. No range: databases sort punctuation differently. */
export const OF_DELIVERIES = { only, without: `NOT (${only})` } as const
