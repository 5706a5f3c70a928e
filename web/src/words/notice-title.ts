import { clockInWords, timeOfDay } from './time.ts'

/** A time as notices write it, for readers in many zones; without a date it is of the day of the notice. */
const IN_UTC = /(?:(\d{4}-\d\d-\d\d) )?\b(\d\d:\d\d) UTC\b/g

/** The title of a notice, with its times in the viewer's time zone. */
export function titleInWords(title: string, createdAt: number): string {
  return title.replace(IN_UTC, (written, date: string | undefined, time: string) => {
    const at = Date.parse(`${date ?? new Date(createdAt).toISOString().slice(0, 10)}T${time}Z`)
    if (Number.isNaN(at)) return written
    // A limit may have moved to another day since: then only the time of day is certain.
    return date === undefined ? timeOfDay(at) : clockInWords(at, createdAt)
  })
}
