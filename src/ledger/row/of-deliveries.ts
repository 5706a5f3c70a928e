import { DELIVERY_PREFIX } from '../delivery-name.ts'

const only = `substr(capability, 1, ${DELIVERY_PREFIX.length}) = '${DELIVERY_PREFIX}'`

/** SQL that is true for deliveries of notices, or for all else. No range: databases sort punctuation differently. */
export const OF_DELIVERIES = { only, without: `NOT (${only})` } as const
