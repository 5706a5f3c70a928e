import type { Delivery, DeliveryEnd, DeliveryFilter, DeliveryState, NewDelivery } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { Page, PageRequest } from '../filter.ts'
import { filled } from '../row/filled.ts'
import { NOTICE_IDS } from '../row/notice-row.ts'
import { NumberedIds } from '../row/numbered-id.ts'
import { numberOf, toId } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, written } from './asking.ts'
import { isOneOf, pageOfRows } from './conditions.ts'

/** A row of the deliveries table. */
interface DeliveryRow {
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
const DELIVERY_IDS = new NumberedIds('delivery')

/** Stores that a notice goes to a surface. */
export function* addDelivery(
  { notice, surface, operation }: NewDelivery,
  now: number,
): Asking<{ id: string; created: boolean }> {
  const number = NOTICE_IDS.numberOf(notice) ?? 0
  // Locked, so that the notice is not deleted before its delivery is written.
  if (!(yield* row('SELECT 1 FROM notices WHERE id = $1 FOR SHARE', number)))
    throw new LedgerError('invalid', `there is no notice ${notice} to deliver to ${surface}`)
  const added = yield* row<{ id: number }>(
    `INSERT INTO deliveries (notice, surface, operation, state, created_at) VALUES ($1, $2, $3, 'pending', $4)
     ON CONFLICT (notice, surface) DO NOTHING RETURNING id`,
    number,
    surface,
    operation === undefined ? null : (numberOf(operation) ?? null),
    now,
  )
  if (added) return { id: DELIVERY_IDS.toId(added.id), created: true }
  const text = 'SELECT id FROM deliveries WHERE notice = $1 AND surface = $2'
  const known = yield* row<{ id: number }>(text, number, surface)
  return { id: DELIVERY_IDS.toId(known?.id ?? 0), created: false }
}

/** Stores how a delivery ended. */
export function* settleDelivery(id: string, end: DeliveryEnd, now: number): Asking<boolean> {
  const settled = yield* written(
    `UPDATE deliveries SET state = $1, settled_at = $2, reference = $3, reason = $4
     WHERE id = $5 AND state = 'pending' RETURNING id`,
    end.delivered ? 'delivered' : 'failed',
    now,
    end.delivered ? (withoutSecrets(end.reference) ?? null) : null,
    end.delivered ? null : withoutSecrets(end.reason),
    DELIVERY_IDS.numberOf(id) ?? 0,
  )
  return settled > 0
}

/** Marks what a surface shows as outdated, or as up to date again. Returns how many changed. */
export function outdateDeliveries(ids: readonly string[], isOutdated: boolean, now: number): Asking<number> {
  return written(
    `UPDATE deliveries SET outdated_at = $1::bigint WHERE id = ANY($2::bigint[])
     AND (outdated_at IS NULL) <> ($1::bigint IS NULL) RETURNING id`,
    isOutdated ? now : null,
    ids.map(id => DELIVERY_IDS.numberOf(id) ?? 0),
  )
}

export function deliveriesPage(filter: DeliveryFilter, page: PageRequest): Asking<Page<Delivery>> {
  const { notice, surface, state, operation, fingerprint, outdated } = filter
  const conditions = [
    ...isOneOf('notice', notice === undefined ? undefined : (NOTICE_IDS.numberOf(notice) ?? 0)),
    ...isOneOf('surface', surface),
    ...isOneOf('state', state),
    ...isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0)),
    ...(fingerprint === undefined
      ? []
      : [{ sql: 'notice IN (SELECT n.id FROM notices n WHERE n.fingerprint = ?)', value: fingerprint }]),
    ...(outdated ? [{ sql: 'outdated_at IS NOT NULL' }] : []),
  ]
  return pageOfRows({ table: 'deliveries', ids: DELIVERY_IDS, read: toDelivery }, conditions, page)
}

/** Converts a row to a delivery. */
function toDelivery(row: DeliveryRow): Delivery {
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
