import {
  NOTICE_EVENTS,
  NOTICE_PRIORITIES,
  type NoticeEvent,
  type SurfaceConfig,
} from '../config/schema/surface.ts'
import type { FailureClass } from '../failure/failure.ts'
import type { Notice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'

/** The settings of a surface that decide which notices it gets. */
export type SurfaceFilter = Pick<
  SurfaceConfig,
  'kind' | 'enabled' | 'events' | 'classes' | 'providers' | 'minPriority' | 'background'
>

/** Default events of issue trackers: only those that a person has to work on. Chats get everything. */
const TRACKER_EVENTS: readonly NoticeEvent[] = ['unknown', 'test']

/** Whether a surface gets a notice. The operation is the one that the notice is about, if it still exists. */
export function isWanted(surface: SurfaceFilter, notice: Notice, operation: Operation | undefined): boolean {
  const { kind, enabled, classes, providers, minPriority, background } = surface
  const events = surface.events ?? (kind === 'github' || kind === 'gitea' ? TRACKER_EVENTS : NOTICE_EVENTS)
  const event = notice.type as NoticeEvent
  const cls = CLASSES[event] ?? operation?.failure?.class
  if (isRepeat(notice) && kind !== 'github' && kind !== 'gitea') return false
  return (
    enabled &&
    (events.includes(event) || event === 'test') &&
    NOTICE_PRIORITIES.indexOf(notice.priority) >= NOTICE_PRIORITIES.indexOf(minPriority) &&
    (classes === undefined || cls === undefined || classes.includes(cls)) &&
    (providers === undefined || notice.provider === undefined || providers.includes(notice.provider)) &&
    (background || !isQuiet(notice, operation))
  )
}

/** Whether a notice is about an unknown failure that was escalated before. */
export function isRepeat({ type, key }: Pick<Notice, 'type' | 'key'>): boolean {
  return type === 'unknown' && key.includes(':again:')
}

/**
 * Whether a notice is about a background operation, one that a schedule or a submission started and no person waits
 * for: it goes to the session only. Notices about providers and labels are never quiet.
 */
export function isQuiet(notice: Notice, operation: Operation | undefined): boolean {
  return notice.operation !== undefined && operation !== undefined && operation.source !== 'run'
}

const CLASSES: Partial<Record<NoticeEvent, FailureClass>> = {
  billing: 'throttle',
  login: 'permanent',
  unknown: 'unknown',
  down: 'transient',
}
