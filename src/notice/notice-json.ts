import type { Failure } from '../failure/failure.ts'
import type { Delivery } from '../ledger/delivery.ts'
import type { Notice } from '../ledger/notice.ts'
import type { NoticeWithDeliveries } from './notice-with-deliveries.ts'
import type { Sent } from './surface/surface.ts'

/** A notice as JSON; times are RFC 3339 UTC. */
export function noticeToJson({ key: _key, shownAt, ...notice }: Notice): Record<string, unknown> {
  const { createdAt, expiresAt, readAt, readBy, resolvedAt, event, type, ...rest } = notice
  return {
    ...rest,
    event: type,
    created_at: timeOf(createdAt),
    expires_at: timeOf(expiresAt),
    ...(readAt === undefined ? {} : { read_at: timeOf(readAt) }),
    ...(readBy === undefined ? {} : { read_by: readBy }),
    ...(shownAt === undefined ? {} : { shown_at: timeOf(shownAt) }),
    ...(resolvedAt === undefined ? {} : { resolved_at: timeOf(resolvedAt) }),
    ...(event === undefined ? {} : { ledger_event: event }),
  }
}

/** A delivery as JSON. */
export function deliveryToJson({
  createdAt,
  settledAt,
  outdatedAt: _,
  ...delivery
}: Delivery): Record<string, unknown> {
  return {
    ...delivery,
    created_at: timeOf(createdAt),
    ...(settledAt === undefined ? {} : { settled_at: timeOf(settledAt) }),
  }
}

/** A notice with its deliveries as JSON. */
export function noticeWithDeliveriesToJson({
  notice,
  deliveries,
}: NoticeWithDeliveries): Record<string, unknown> {
  return { ...noticeToJson(notice), deliveries: deliveries.map(deliveryToJson) }
}

/** The result of a test message as JSON. */
export function testToJson(surface: string, end: Sent | { failure: Failure }) {
  if (!('failure' in end))
    return { surface, sent: true, ...(end.reference ? { reference: end.reference } : {}) }
  const { class: cls, kind, message } = end.failure
  return { surface, sent: false, class: cls, kind, message }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
