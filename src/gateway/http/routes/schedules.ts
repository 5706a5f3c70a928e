import { z } from 'zod'
import { nearest } from '../../../option/nearest.ts'
import { type CronSchedule, submissionOf, timesOf } from '../../../queue/cron-schedule.ts'
import { scheduleStatuses } from '../../../queue/cron-status.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { operation } from '../../../queue/operation-shape.ts'
import { scheduleToJson } from '../../../queue/status-json.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { backgroundOf, inForce } from '../facilities.ts'
import { notFound } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { listedSchedules } from '../schedule-shape.ts'
import { name } from '../value-schemas.ts'
import { existing } from './operations.ts'

/** How many of its next times a schedule shows. */
const MOST_UPCOMING = 5

/** The next times of a schedule, starting with the given one; none if it is off. */
function upcomingOf(schedule: CronSchedule, first: number | undefined): number[] {
  const times = timesOf(schedule)
  const upcoming: number[] = []
  for (let at = first; at !== undefined && upcoming.length < MOST_UPCOMING; at = times.after(at))
    upcoming.push(at)
  return upcoming
}

const list = route({
  method: 'get',
  path: '/v1/schedules',
  id: 'listSchedules',
  summary: 'The schedules of the config with their next time and last outcome',
  demand: 'look',
  answers: { 200: { description: 'All schedules', schema: listedSchedules } },
  async run(_call, facilities) {
    const { schedules } = inForce(facilities).loaded.config
    const statuses = await scheduleStatuses(facilities.ledger, schedules, facilities.time.now())
    const listed = statuses.map((status, index) => ({
      ...scheduleToJson(status),
      upcoming: upcomingOf(schedules[index] as CronSchedule, status.nextAt).map(timeToJson),
    }))
    return { json: { schedules: listed } }
  },
})

const run = route({
  method: 'post',
  path: '/v1/schedules/{name}/run',
  id: 'runSchedule',
  summary: 'Submit its operation now, even if it is disabled; its regular times stay the same',
  demand: 'change',
  params: z.strictObject({ name }),
  answers: { 201: { description: 'The operation', schema: operation } },
  async run({ params: { name: wanted } }, facilities) {
    const now = inForce(facilities)
    const { schedules } = now.loaded.config
    const found = schedules.find(({ name: known }) => known === wanted)
    if (!found) {
      const guess = nearest(
        wanted,
        schedules.map(({ name: known }) => known),
      )
      throw notFound(`unknown schedule ${JSON.stringify(wanted)}${guess ? `; did you mean "${guess}"?` : ''}`)
    }
    const { capability, params, ...options } = submissionOf(found)
    const { id } = await now.queue.submit(capability, params, options)
    const stored = await existing(facilities, id)
    return {
      status: 201,
      json: operationToJson(stored, backgroundOf(now, capability)),
      headers: { location: `/v1/operations/${id}` },
    }
  },
})

/** Schedules. */
export const scheduleRoutes: readonly Route[] = [list, run]
