/** A length in words for people: `40 ms`, `9.8 s`, `3 min`, `2 h 5 min`, `3 d`. */
export function lengthInWords(ms: number): string {
  const length = Math.max(0, ms)
  if (length < 1_000) return `${Math.round(length)} ms`
  if (length < 9_950) return `${(length / 1_000).toFixed(1).replace(/\.0$/, '')} s`
  if (length < 59_500) return `${Math.round(length / 1_000)} s`
  const minutes = Math.floor((length + 500) / 60_000)
  const seconds = Math.floor(((length + 500) % 60_000) / 1_000)
  if (minutes < 10) return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 || days > 6 ? `${days} d` : `${days} d ${hours % 24} h`
}

/** A time relative to now: `in 9 s`, `3 min ago`, `now`. */
export function distanceInWords(at: number, now: number): string {
  const ms = at - now
  if (Math.abs(ms) < 1_000) return 'now'
  const words = lengthInWords(Math.floor(Math.abs(ms) / 1_000) * 1_000)
  return ms > 0 ? `in ${words}` : `${words} ago`
}

/** Time of day in the viewer's time zone. */
export function timeOfDay(at: number, hasSeconds = false): string {
  return new Date(at).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
  })
}

/** Time of day, with the date unless it is today, in the viewer's time zone. */
export function clockInWords(at: number, now: number): string {
  const date = new Date(at)
  const time = timeOfDay(at)
  if (date.toDateString() === new Date(now).toDateString()) return time
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`
}

/** The exact time, in the viewer's time zone and in UTC. */
export function exactInWords(at: number): string {
  const date = new Date(at)
  const here = date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
  return `${here} · ${date.toISOString()}`
}

/** The time span of one step of a chart. */
export function stepInWords(step: number, from: number, stepMs: number): string {
  const begin = from + step * stepMs
  return `${pointInWords(begin, stepMs)} – ${pointInWords(begin + stepMs, stepMs)}`
}

/** Steps longer than this, in milliseconds, make charts of more than a day. */
const MOST_IN_A_DAY_MS = 30 * 60_000

/** A time on the axis of a chart: as exact as its steps, and with its day where the chart has several. */
export function pointInWords(at: number, stepMs: number): string {
  if (stepMs <= MOST_IN_A_DAY_MS) return timeOfDay(at, stepMs < 60_000)
  return `${new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${timeOfDay(at)}`
}
