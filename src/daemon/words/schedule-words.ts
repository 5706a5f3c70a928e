import type { CronRecord } from '../../queue/cron-record.ts'
import type { ScheduleStatus } from '../../queue/cron-status.ts'
import type { SchedulePause } from '../../queue/schedule-pause.ts'
import { timeToJson } from '../../time/time-json.ts'
import { momentInWords } from './failure-words.ts'

/** A line per schedule, with its next time and last outcome. */
export function schedulesInWords(standings: readonly ScheduleStatus[], now: number): string {
  const width = Math.max(...standings.map(({ name }) => name.length))
  return standings
    .map(({ name, capability, enabled, nextAt, paused, last }) => {
      const next = !enabled
        ? 'disabled'
        : paused
          ? pauseInWords(paused, now)
          : nextAt === undefined
            ? 'never again'
            : `next ${momentInWords(nextAt, now)}`
      const lastWords = last && lastInWords(last)
      return `${name.padEnd(width)}  ${capability}  ${next}${lastWords === undefined ? '' : `, ${lastWords}`}\n`
    })
    .join('')
}

/** The number of schedules, and the next one. */
export function schedulesInShort(standings: readonly ScheduleStatus[]): string {
  const [first] = standings
    .flatMap(({ name, nextAt }) => (nextAt === undefined ? [] : [{ name, nextAt }]))
    .sort((a, b) => a.nextAt - b.nextAt)
  const isPaused = standings.some(({ enabled, paused }) => enabled && paused)
  const next = first ? `next ${first.name} at ${timeToJson(first.nextAt)}` : isPaused ? 'paused' : 'disabled'
  return `${standings.length === 1 ? '1 schedule' : `${standings.length} schedules`} (${next})`
}

function pauseInWords({ at, by, reason }: SchedulePause, now: number): string {
  const who = by === undefined ? '' : ` by ${by}`
  return `paused${who} since ${momentInWords(at, now)}${reason === undefined ? '' : `: ${reason}`}`
}

function lastInWords({ at, did, operation }: CronRecord): string | undefined {
  const when = timeToJson(at).replace(/\.\d+Z$/, 'Z')
  switch (did) {
    case 'submitted':
      return `last ${when}: ${operation}`
    case 'missed':
      return `${when} missed`
    case 'overlapped':
      return `${when} skipped, because ${operation} was still running`
    case 'refused':
      return `${when} refused`
    case 'begun':
    case 'off':
      return operation === undefined ? undefined : `last ${operation}`
  }
}
