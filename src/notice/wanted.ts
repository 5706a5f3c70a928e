import {
  NOTICE_EVENTS,
  NOTICE_PRIORITIES,
  type NoticeEvent,
  type SurfaceConfig,
} from '../config/schema/surface.ts'
import type { FailureClass } from '../failure/failure.ts'
import type { Notice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { isToldByCause, isToldByParent } from './about-operation.ts'

/** The settings of a surface that decide which notices it gets. */
export type SurfaceFilter = Pick<
  SurfaceConfig,
  'kind' | 'enabled' | 'events' | 'classes' | 'providers' | 'minPriority' | 'background'
>

/** Default events of issue trackers: only those that a person has to work on. */
const TRACKER_EVENTS: readonly NoticeEvent[] = ['unknown', 'test']
/** Default events of all others. That an operation succeeded after all is for its session. */
const CHAT_EVENTS = NOTICE_EVENTS.filter(event => event !== 'succeeded')

/** The events that a surface gets. */
export function eventsFor({ kind, events }: Pick<SurfaceFilter, 'kind' | 'events'>): readonly NoticeEvent[] {
  return events ?? (isTracker(kind) ? TRACKER_EVENTS : CHAT_EVENTS)
}

/** Whether a surface opens issues. */
export function isTracker(kind: SurfaceConfig['kind']): boolean {
  return kind === 'github' || kind === 'gitea'
}

/** Whether a surface gets a notice. The operation is the one that the notice is about, if it still exists. */
export function isWanted(surface: SurfaceFilter, notice: Notice, operation: Operation | undefined): boolean {
  const { kind, enabled, classes, providers, minPriority, background = true } = surface
  const event = notice.type as NoticeEvent
  const cls = CLASSES[event] ?? operation?.failure?.class
  if (isRepeat(notice) && !isTracker(kind)) return false
  return (
    enabled &&
    (eventsFor(surface).includes(event) || event === 'test') &&
    NOTICE_PRIORITIES.indexOf(notice.priority) >= NOTICE_PRIORITIES.indexOf(minPriority) &&
    (classes === undefined || cls === undefined || classes.includes(cls)) &&
    (providers === undefined || notice.provider === undefined || providers.includes(notice.provider)) &&
    !(operation && isToldOtherwise(notice, operation)) &&
    (background || !isBackground(notice, operation))
  )
}

/** Whether a notice is about an unknown failure that was escalated before. */
export function isRepeat({ type, key }: Pick<Notice, 'type' | 'key'>): boolean {
  return type === 'unknown' && key.includes(':again:')
}

/** Whether a notice is about an operation that was submitted: no person or agent waits for its answer. */
export function isBackground(notice: Notice, operation: Operation | undefined): boolean {
  return notice.operation !== undefined && operation?.source === 'submit'
}

/** Whether another notice tells people the same: about the schedule, the workflow run, the provider or the unknown failure. */
function isToldOtherwise({ type }: Notice, operation: Operation): boolean {
  if (type === 'dead') return isToldByParent(operation)
  return type === 'parked' && operation.state === 'parked' && isToldByCause(operation.parkedFor, operation)
}

const CLASSES: Partial<Record<NoticeEvent, FailureClass>> = {
  billing: 'throttle',
  login: 'permanent',
  unknown: 'unknown',
  down: 'transient',
  limit: 'throttle',
}
