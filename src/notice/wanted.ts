import {
  NOTICE_EVENTS,
  NOTICE_PRIORITIES,
  type NoticeEvent,
  type SurfaceConfig,
} from '../config/schema/surface.ts'
import type { FailureClass } from '../failure/failure.ts'
import type { Notice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'

/** What decides whether a surface is told. */
export type SurfaceFilter = Pick<
  SurfaceConfig,
  'kind' | 'enabled' | 'events' | 'classes' | 'providers' | 'minPriority' | 'background'
>

/** Issues are for what somebody has to work on; a chat may hear of everything. */
const ISSUES: readonly NoticeEvent[] = ['unknown', 'test']

/** Whether a surface is told of a notice; the operation is the one that it is about, if that is still there. */
export function isWanted(surface: SurfaceFilter, notice: Notice, operation: Operation | undefined): boolean {
  const { kind, enabled, classes, providers, minPriority, background } = surface
  const events = surface.events ?? (kind === 'github' || kind === 'gitea' ? ISSUES : NOTICE_EVENTS)
  const event = notice.type as NoticeEvent
  const cls = CLASSES[event] ?? operation?.failure?.class
  if (isAgain(notice) && kind !== 'github' && kind !== 'gitea') return false
  return (
    enabled &&
    (events.includes(event) || event === 'test') &&
    NOTICE_PRIORITIES.indexOf(notice.priority) >= NOTICE_PRIORITIES.indexOf(minPriority) &&
    (classes === undefined || cls === undefined || classes.includes(cls)) &&
    (providers === undefined || notice.provider === undefined || providers.includes(notice.provider)) &&
    (background || !isQuiet(notice, operation))
  )
}

/** Whether it is about an unknown failure that people were told of before. */
export function isAgain({ type, key }: Pick<Notice, 'type' | 'key'>): boolean {
  return type === 'unknown' && key.includes(':again:')
}

/**
 * What a schedule or a submission began in the background is for its session: the person who started it did not wait for
 * it. What is wrong with a provider, or needs a label, is said all the same.
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
