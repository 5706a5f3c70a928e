import type { Time } from '../../time/time.ts'
import type { Delivery, DeliveryEnd, DeliveryFilter, NewDelivery } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { Page, PageRequest } from '../filter.ts'
import { DELIVERY_IDS as IDS, toDelivery } from '../row/delivery-row.ts'
import { NOTICE_IDS } from '../row/notice-row.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { isOneOf, pageOfRows, type RowCondition } from './row-page.ts'
import type { Statements } from './statements.ts'

/** Stores which notice goes to which surface, and how the delivery ended. */
export class DeliveryRecords {
  readonly #statements: Statements
  readonly #time: Time

  constructor(statements: Statements, time: Time) {
    this.#statements = statements
    this.#time = time
  }

  add({ notice, surface, operation }: NewDelivery): { id: string; created: boolean } {
    const number = NOTICE_IDS.numberOf(notice) ?? 0
    if (!this.#statements.of('SELECT 1 FROM notices WHERE id = ?').get(number))
      throw new LedgerError('invalid', `there is no notice ${notice} to deliver to ${surface}`)
    const old = this.#statements
      .of('SELECT id FROM deliveries WHERE notice = ? AND surface = ?')
      .get(number, surface)
    if (old) return { id: IDS.toId(old.id as number), created: false }
    const { lastInsertRowid } = this.#statements
      .of(
        `INSERT INTO deliveries (notice, surface, operation, state, created_at) VALUES (?, ?, ?, 'pending', ?)`,
      )
      .run(number, surface, operation === undefined ? null : (numberOf(operation) ?? null), this.#time.now())
    return { id: IDS.toId(Number(lastInsertRowid)), created: true }
  }

  settle(id: string, end: DeliveryEnd): boolean {
    const { changes } = this.#statements
      .of(`UPDATE deliveries SET state = ?, settled_at = ?, reference = ?, reason = ?
        WHERE id = ? AND state = 'pending'`)
      .run(
        end.delivered ? 'delivered' : 'failed',
        this.#time.now(),
        end.delivered ? (withoutSecrets(end.reference) ?? null) : null,
        end.delivered ? null : withoutSecrets(end.reason),
        IDS.numberOf(id) ?? 0,
      )
    return changes !== 0
  }

  outdate(ids: readonly string[], isOutdated: boolean): number {
    const { changes } = this.#statements
      .of(`UPDATE deliveries SET outdated_at = ?1 WHERE id IN (SELECT value FROM json_each(?2))
        AND (outdated_at IS NULL) <> (?1 IS NULL)`)
      .run(isOutdated ? this.#time.now() : null, JSON.stringify(ids.map(id => IDS.numberOf(id) ?? 0)))
    return Number(changes)
  }

  page(filter: DeliveryFilter, page: PageRequest): Page<Delivery> {
    const { notice, surface, state, operation, fingerprint, outdated } = filter
    const conditions: RowCondition[] = [
      ...isOneOf('notice', notice === undefined ? undefined : (NOTICE_IDS.numberOf(notice) ?? 0)),
      ...isOneOf('surface', surface),
      ...isOneOf('state', state),
      ...isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0)),
      ...(fingerprint === undefined
        ? []
        : [{ sql: 'notice IN (SELECT n.id FROM notices n WHERE n.fingerprint = ?)', values: [fingerprint] }]),
      ...(outdated ? [{ sql: 'outdated_at IS NOT NULL', values: [] }] : []),
    ]
    return pageOfRows(this.#statements, { table: 'deliveries', ids: IDS, read: toDelivery }, conditions, page)
  }
}
