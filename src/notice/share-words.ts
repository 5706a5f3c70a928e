import { NOTICE_EVENTS, type NoticeEvent, type SurfaceConfig } from '../config/schema/surface.ts'
import { canEdit } from './surface/can-edit.ts'
import { eventsFor } from './wanted.ts'

/** What a surface will and will not get, as lines for people. All its defaults are filled in. */
export function shareInWords(surface: SurfaceConfig): string[] {
  const { name, enabled, classes, providers, minPriority, background } = surface
  if (!enabled) return [`${name} gets nothing: enabled = false`]
  const events = eventsFor(surface)
  const isTold = (event: NoticeEvent) => event === 'test' || events.includes(event)
  const not = NOTICE_EVENTS.filter(event => !isTold(event))
  const isAboutWork = events.includes('dead') || events.includes('parked')
  return [
    `${name} gets ${events.filter(event => event !== 'test').join(', ')}`,
    ...(not.length > 0 ? [`  not: ${not.join(', ')}`] : []),
    ...(minPriority === 'low' ? [] : [`  not: priority below ${minPriority}`]),
    ...(classes ? [`  not: failures of other classes than ${classes.join(', ')}`] : []),
    ...(providers ? [`  not: other providers than ${providers.join(', ')}`] : []),
    ...(isAboutWork
      ? [
          background === false
            ? '  not: work that was submitted, only work that somebody waits for'
            : '  also: work that was submitted and that nobody waits for',
          '  not: each run of a schedule or step of a workflow, which have events of their own',
        ]
      : []),
    canEdit(surface)
      ? '  its messages are edited when their cause is gone'
      : '  it cannot edit: a message stays as it was sent',
  ]
}
