import type { Time } from '../../time/time.ts'
import type { Delivery, DeliveryEnd, DeliveryFilter, DeliveryState, NewDelivery } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { Page, PageRequest } from '../filter.ts'
import { withoutSecrets } from './attempts.ts'
import { NOTICE_IDS } from './notice-records.ts'
import { NumberedIds } from './numbered-id.ts'
import { isOneOf, pageOfRows, type RowCondition } from './row-page.ts'
import { numberOf, toId } from './rows.ts'
import type { Statements } from './statements.ts'

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
}

const IDS = new NumberedIds('delivery')

/** Keeps which notice goes to which surface, and what became of it. */
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

  page(filter: DeliveryFilter, page: PageRequest): Page<Delivery> {
    const { notice, surface, state, operation, fingerprint } = filter
    const conditions: RowCondition[] = [
      ...isOneOf('notice', notice === undefined ? undefined : (NOTICE_IDS.numberOf(notice) ?? 0)),
      ...isOneOf('surface', surface),
      ...isOneOf('state', state),
      ...isOneOf('operation', operation === undefined ? undefined : (numberOf(operation) ?? 0)),
      ...(fingerprint === undefined
        ? []
        : [{ sql: 'notice IN (SELECT n.id FROM notices n WHERE n.fingerprint = ?)', values: [fingerprint] }]),
    ]
    return pageOfRows(this.#statements, { table: 'deliveries', ids: IDS, read: toDelivery }, conditions, page)
  }
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: IDS.toId(row.id),
    notice: NOTICE_IDS.toId(row.notice),
    surface: row.surface,
    ...(row.operation === null ? {} : { operation: toId(row.operation) }),
    state: row.state,
    createdAt: row.created_at,
    ...(row.settled_at === null ? {} : { settledAt: row.settled_at }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}
