import type { Failure } from '../failure/failure.ts'
import type { Notice } from '../ledger/notice.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import { delivery, notice } from './notice-shape.ts'
import type { NoticeWithDeliveries } from './notice-with-deliveries.ts'
import type { Sent } from './surface/surface.ts'

const writeNotice = jsonWriter(notice)

/** A notice as JSON; times are RFC 3339 UTC. */
export function noticeToJson(given: Notice) {
  return writeNotice({ ...given, event: given.type, ledgerEvent: given.event })
}

/** A delivery as JSON. */
export const deliveryToJson = jsonWriter(delivery)

/** A notice with its deliveries as JSON. */
export function noticeWithDeliveriesToJson({ notice: told, deliveries }: NoticeWithDeliveries) {
  return { ...noticeToJson(told), deliveries: deliveries.map(deliveryToJson) }
}

/** The result of a test message as JSON. */
export function testToJson(surface: string, end: Sent | { failure: Failure }) {
  if (!('failure' in end))
    return { surface, sent: true, ...(end.reference ? { reference: end.reference } : {}) }
  const { class: cls, kind, message } = end.failure
  return { surface, sent: false, class: cls, kind, message }
}
