import type { z } from 'zod'
import { table } from './table.ts'
import { choice, cron, flag, json, map, name, timeZone, whole } from './value.ts'

/** `[[schedule]]` */
export const schedule = table({
  name: name('What it is called for good: what was submitted is remembered under it.'),
  capability: name('The name of the capability that is submitted.'),
  cron: cron(
    'When: `"minute hour day month weekday"`, with seconds in front if there are six; or `"@daily"`.',
  ),
  time_zone: timeZone('Zone in which the fields are read.').prefault('UTC'),
  params: map(
    json('The value of a parameter.'),
    'Parameters of each operation, by name. Secret ones as `"env:NAME"`.',
  ).prefault({}),
  missed: choice(
    ['skip', 'once'],
    'What becomes of times at which no daemon was there: nothing, or one operation for all of them.',
  ).prefault('skip'),
  overlap: choice(
    ['allow', 'skip'],
    'What is done while the operation before has not ended: the next is submitted all the same, or its time is skipped.',
  ).prefault('allow'),
  priority: whole('Larger ones are run first. Default: that of the capability.', {
    least: -10,
    most: 10,
  }).optional(),
  enabled: flag(
    'Whether anything is submitted. Times that pass while it is switched off are not made up for.',
  ).prefault(true),
})
/** `[[schedule]]` as it is in force: defaults filled in, durations in milliseconds. */
export type ScheduleConfig = z.output<typeof schedule>
