import { present } from '../failure/present.ts'
import type { Delivery } from '../ledger/delivery.ts'
import type { Page, PageRequest } from '../ledger/filter.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice, NoticeFilter } from '../ledger/notice.ts'

/** Most deliveries listed per notice; there is one per surface. */
const MOST_DELIVERIES = 100

/** A notice with its deliveries to surfaces. */
export interface NoticeWithDeliveries {
  notice: Notice
  deliveries: readonly Delivery[]
}

/** Notices with their deliveries, newest first, a page at a time. */
export async function noticesWithDeliveries(
  ledger: Pick<Ledger, 'notices' | 'deliveries'>,
  filter: NoticeFilter,
  page: PageRequest,
): Promise<Page<NoticeWithDeliveries>> {
  const { items, next } = await ledger.notices(filter, page)
  const withDeliveries = await Promise.all(
    items.map(async notice => {
      const { items: deliveries } = await ledger.deliveries({ notice: notice.id }, { limit: MOST_DELIVERIES })
      return { notice, deliveries }
    }),
  )
  return { items: withDeliveries, ...present({ next }) }
}
