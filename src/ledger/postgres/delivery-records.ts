import type { Time } from '../../time/time.ts'
import type { Delivery, DeliveryEnd, DeliveryFilter, NewDelivery } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { Page, PageRequest } from '../filter.ts'
import { DELIVERY_IDS, toDelivery } from '../row/delivery-row.ts'
import { NOTICE_IDS } from '../row/notice-row.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { Conditions, pageOfRows } from './row-page.ts'
import type { Sql } from './sql.ts'

/** Stores which notice goes to which surface, and how its delivery ended. */
export class DeliveryRecords {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  async add({ notice, surface, operation }: NewDelivery): Promise<{ id: string; created: boolean }> {
    const number = NOTICE_IDS.numberOf(notice) ?? 0
    // Locked, so that the notice is not deleted before its delivery is written.
    if (!(await this.#sql.row('SELECT 1 FROM notices WHERE id = $1 FOR SHARE', [number])))
      throw new LedgerError('invalid', `there is no notice ${notice} to deliver to ${surface}`)
    const known = await this.#idOf(number, surface)
    if (known) return { id: known, created: false }
    const row = await this.#sql.row<{ id: number }>(
      `INSERT INTO deliveries (notice, surface, operation, state, created_at) VALUES ($1, $2, $3, 'pending', $4)
       ON CONFLICT (notice, surface) DO NOTHING RETURNING id`,
      [number, surface, operation === undefined ? null : (numberOf(operation) ?? null), this.#time.now()],
    )
    if (row) return { id: DELIVERY_IDS.toId(row.id), created: true }
    return { id: (await this.#idOf(number, surface)) as string, created: false }
  }

  async settle(id: string, end: DeliveryEnd): Promise<boolean> {
    const changed = await this.#sql.run(
      `UPDATE deliveries SET state = $1, settled_at = $2, reference = $3, reason = $4
       WHERE id = $5 AND state = 'pending'`,
      [
        end.delivered ? 'delivered' : 'failed',
        this.#time.now(),
        end.delivered ? (withoutSecrets(end.reference) ?? null) : null,
        end.delivered ? null : withoutSecrets(end.reason),
        DELIVERY_IDS.numberOf(id) ?? 0,
      ],
    )
    return changed > 0
  }

  outdate(ids: readonly string[], isOutdated: boolean): Promise<number> {
    return this.#sql.run(
      `UPDATE deliveries SET outdated_at = $1::bigint WHERE id = ANY($2::bigint[])
        AND (outdated_at IS NULL) <> ($1::bigint IS NULL)`,
      [isOutdated ? this.#time.now() : null, ids.map(id => DELIVERY_IDS.numberOf(id) ?? 0)],
    )
  }

  page(filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> {
    const { notice, surface, state, operation, fingerprint, outdated } = filter
    const conditions = new Conditions()
      .isOneOf('notice', notice === undefined ? undefined : (NOTICE_IDS.numberOf(notice) ?? 0))
      .isOneOf('surface', surface)
      .isOneOf('state', state)
      .isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0))
    if (fingerprint !== undefined)
      conditions.add('notice IN (SELECT n.id FROM notices n WHERE n.fingerprint = ?)', fingerprint)
    if (outdated) conditions.add('outdated_at IS NOT NULL')
    const table = { table: 'deliveries', ids: DELIVERY_IDS, read: toDelivery }
    return pageOfRows(this.#sql, table, conditions, page)
  }

  async #idOf(notice: number, surface: string): Promise<string | undefined> {
    const row = await this.#sql.row<{ id: number }>(
      'SELECT id FROM deliveries WHERE notice = $1 AND surface = $2',
      [notice, surface],
    )
    return row && DELIVERY_IDS.toId(row.id)
  }
}
