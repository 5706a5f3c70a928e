import { z } from 'zod'
import { schedule } from '../../queue/status-shape.ts'
import { moment } from '../../shape/value.ts'

/** A schedule with its next times. */
export const listedSchedule = schedule.extend({
  upcoming: z.array(moment).describe('Its next five times; none if it is off or paused.'),
})

/** The schedules of the config. */
export const listedSchedules = z.object({ schedules: z.array(listedSchedule) })
