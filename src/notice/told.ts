import type { Delivery } from '../ledger/delivery.ts'
import type { Page, PageRequest } from '../ledger/filter.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice, NoticeFilter } from '../ledger/notice.ts'

/** Deliveries of one notice that are given: one for each surface. */
const MOST_DELIVERIES = 100

/** A notice, and how far it has got to the surfaces. */
export interface ToldNotice {
  notice: Notice
  deliveries: readonly Delivery[]
}

/** Notices with their deliveries, newest first, a page at a time. */
export async function toldNotices(
  ledger: Pick<Ledger, 'notices' | 'deliveries'>,
  filter: NoticeFilter,
  page: PageRequest,
): Promise<Page<ToldNotice>> {
  const { items, next } = await ledger.notices(filter, page)
  const told = await Promise.all(
    items.map(async notice => {
      const { items: deliveries } = await ledger.deliveries({ notice: notice.id }, { limit: MOST_DELIVERIES })
      return { notice, deliveries }
    }),
  )
  return { items: told, ...(next === undefined ? {} : { next }) }
}
