import type { Delivery, DeliveryState } from '../delivery.ts'
import { filled } from './filled.ts'
import { NOTICE_IDS } from './notice-row.ts'
import { NumberedIds } from './numbered-id.ts'
import { toId } from './rows.ts'

/** A row of the deliveries table. */
export interface DeliveryRow {
  id: number
  notice: number
  surface: string
  operation: number | null
  state: DeliveryState
  created_at: number
  settled_at: number | null
  reference: string | null
  reason: string | null
  outdated_at: number | null
}

/** Ids of deliveries. */
export const DELIVERY_IDS = new NumberedIds('delivery')

/** Converts a row to a delivery. */
export function toDelivery(row: DeliveryRow): Delivery {
  return filled({
    id: DELIVERY_IDS.toId(row.id),
    notice: NOTICE_IDS.toId(row.notice),
    surface: row.surface,
    operation: row.operation === null ? null : toId(row.operation),
    state: row.state,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    reference: row.reference,
    reason: row.reason,
    outdatedAt: row.outdated_at,
  })
}
