import type { Delivery } from '../ledger/delivery.ts'
import type { Notice } from '../ledger/notice.ts'

/** A notice as it travels in JSON: points in time as RFC 3339 UTC. */
export function noticeToJson({ key: _key, shownAt, ...notice }: Notice): Record<string, unknown> {
  const { createdAt, expiresAt, readAt, readBy, event, type, ...rest } = notice
  return {
    ...rest,
    event: type,
    created_at: timeOf(createdAt),
    expires_at: timeOf(expiresAt),
    ...(readAt === undefined ? {} : { read_at: timeOf(readAt) }),
    ...(readBy === undefined ? {} : { read_by: readBy }),
    ...(shownAt === undefined ? {} : { shown_at: timeOf(shownAt) }),
    ...(event === undefined ? {} : { ledger_event: event }),
  }
}

/** A delivery as it travels in JSON. */
export function deliveryToJson({ createdAt, settledAt, ...delivery }: Delivery): Record<string, unknown> {
  return {
    ...delivery,
    created_at: timeOf(createdAt),
    ...(settledAt === undefined ? {} : { settled_at: timeOf(settledAt) }),
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
