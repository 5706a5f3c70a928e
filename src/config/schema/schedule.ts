import type { z } from 'zod'
import { table } from './table.ts'
import { choice, cron, flag, json, map, name, timeZone, whole } from './value.ts'

/** `[[schedule]]` */
export const schedule = table({
  name: name('Its permanent name: past submissions are remembered under it.'),
  capability: name('The capability to submit.'),
  cron: cron(
    'When: `"minute hour day month weekday"`, six fields with seconds first, or a name such as `"@daily"`.',
  ),
  time_zone: timeZone('Time zone of the fields.').prefault('UTC'),
  params: map(
    json('The value of a parameter.'),
    'Parameters of each operation. Secrets as `"env:NAME"`.',
  ).prefault({}),
  missed: choice(
    ['skip', 'once'],
    'What to do about times when no daemon was running: nothing, or one operation for all of them.',
  ).prefault('skip'),
  overlap: choice(
    ['allow', 'skip'],
    'What to do if the previous operation has not ended: submit anyway, or skip this time.',
  ).prefault('allow'),
  priority: whole("Higher runs first. Default: the capability's.", {
    least: -10,
    most: 10,
  }).optional(),
  enabled: flag(
    'Whether it submits anything. Times that pass while it is disabled are not made up for.',
  ).prefault(true),
})
/** `[[schedule]]` with defaults filled in and durations in milliseconds. */
export type ScheduleConfig = z.output<typeof schedule>
