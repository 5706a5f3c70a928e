import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { nearest } from '../../../option/nearest.ts'
import { type CronSchedule, submissionOf, timesOf } from '../../../queue/cron-schedule.ts'
import { scheduleStatuses } from '../../../queue/cron-status.ts'
import { operationToJson } from '../../../queue/operation-json.ts'
import { operation } from '../../../queue/operation-shape.ts'
import { scheduleToJson } from '../../../queue/status-json.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { backgroundOf, type Facilities, type InForce, inForce } from '../facilities.ts'
import { notFound } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { listedSchedule, listedSchedules } from '../schedule-shape.ts'
import { name } from '../value-schemas.ts'
import { existing } from './operations.ts'

/** How many of its next times a schedule shows. */
const MOST_UPCOMING = 5

/** The next times of a schedule, starting with the given one; none if it is off or paused. */
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
    return { json: { schedules: await listedOf(facilities, inForce(facilities).loaded.config.schedules) } }
  },
})

type Listed = z.infer<typeof listedSchedule>

async function listedOf({ ledger, time }: Facilities, schedules: readonly CronSchedule[]): Promise<Listed[]> {
  const statuses = await scheduleStatuses(ledger, schedules, time.now())
  return statuses.map((status, index) => ({
    ...scheduleToJson(status),
    upcoming: upcomingOf(schedules[index] as CronSchedule, status.nextAt).map(timeToJson),
  }))
}

const run = route({
  method: 'post',
  path: '/v1/schedules/{name}/run',
  id: 'runSchedule',
  summary: 'Submit its operation now, even if it is disabled or paused; its regular times stay the same',
  demand: 'change',
  params: z.strictObject({ name }),
  answers: { 201: { description: 'The operation', schema: operation } },
  async run({ params: { name: wanted } }, facilities) {
    const now = inForce(facilities)
    const { capability, params, ...options } = submissionOf(knownSchedule(now, wanted))
    const { id } = await now.queue.submit(capability, params, options)
    const stored = await existing(facilities, id)
    return {
      status: 201,
      json: operationToJson(stored, backgroundOf(now, capability)),
      headers: { location: `/v1/operations/${id}` },
    }
  },
})

const changing = (action: 'pause' | 'resume') =>
  route({
    method: 'post',
    path: `/v1/schedules/{name}/${action}`,
    id: `${action}Schedule`,
    summary:
      action === 'pause'
        ? 'Submit nothing for it, in any process, until it is resumed'
        : 'Submit on time again; times that passed were missed, and its `missed` says what happens then',
    demand: 'change',
    params: z.strictObject({ name }),
    body: z.strictObject(
      action === 'pause' ? { reason: z.string().min(1).max(500).optional().describe('Why.') } : {},
    ),
    bodyOptional: true,
    answers: { 200: { description: 'The changed schedule', schema: listedSchedule } },
    async run({ params: { name: wanted }, body, caller }, facilities) {
      const now = inForce(facilities)
      const found = knownSchedule(now, wanted)
      const { reason } = body as { reason?: string }
      await now.queue[action]({ schedule: wanted }, present({ reason, by: caller?.name }))
      const [listed] = await listedOf(facilities, [found])
      return { json: listed as Listed }
    },
  })

function knownSchedule({ loaded }: InForce, wanted: string): CronSchedule {
  const { schedules } = loaded.config
  const found = schedules.find(({ name: known }) => known === wanted)
  if (found) return found
  const guess = nearest(
    wanted,
    schedules.map(({ name: known }) => known),
  )
  throw notFound(`unknown schedule ${JSON.stringify(wanted)}${guess ? `; did you mean "${guess}"?` : ''}`)
}

/** Schedules. */
export const scheduleRoutes: readonly Route[] = [list, run, changing('pause'), changing('resume')]
