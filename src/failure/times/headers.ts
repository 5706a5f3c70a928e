import { parseDuration } from './duration.ts'
import { parseHttpDate } from './http-date.ts'
import type { Clock } from './moment.ts'
import { readResetNumber, type Stated } from './stated.ts'

type Headers = ReadonlyMap<string, string>

/** The wait that response headers state. Retry-After first: reset headers describe buckets, not always the exhausted one. */
export function waitFromHeaders(headers: Headers, guess: boolean, clock: Clock): Stated | undefined {
  if (headers.size === 0) return undefined
  return (
    milliseconds(headers) ??
    retryAfter(headers.get('retry-after'), clock) ??
    rejectedPlanWindow(headers, clock) ??
    resetAfter(headers) ??
    ietfRateLimit(headers.get('ratelimit'), headers.get('ratelimit-policy')) ??
    exhaustedBuckets(headers, guess, clock)
  )
}

function milliseconds(headers: Headers): Stated | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after']) {
    const ms = numberOf(headers.get(name))
    if (ms !== undefined) return { ms }
  }
  return undefined
}

/** Parses Retry-After: seconds, also fractional, or an HTTP date. */
export function retryAfter(value: string | undefined, clock: Clock): Stated | undefined {
  if (value === undefined) return undefined
  const seconds = numberOf(value)
  if (seconds !== undefined) return seconds > 1e9 ? readResetNumber(seconds) : { ms: seconds * 1_000 }
  const at = parseHttpDate(value, clock)
  if (at !== undefined) return { at }
  const ms = parseDuration(value)
  return ms === undefined ? undefined : { ms }
}

/** All windows of a subscription must be open, so the latest reset among the rejected ones counts. */
function rejectedPlanWindow(headers: Headers, clock: Clock): Stated | undefined {
  if (headers.get('anthropic-ratelimit-unified-status') === 'rejected') {
    const resets = [...headers]
      .filter(([name]) => /^anthropic-ratelimit-unified(?:-\w+)?-reset$/.test(name))
      .filter(([name]) => {
        const status = headers.get(name.replace(/-reset$/, '-status'))
        return status === undefined ? name === 'anthropic-ratelimit-unified-reset' : status === 'rejected'
      })
      .map(([, value]) => resetOf(value, clock))
    return latest(resets)
  }
  const full = ['primary', 'secondary'].filter(
    name => (numberOf(headers.get(`x-codex-${name}-used-percent`)) ?? 0) >= 100,
  )
  return latest(full.map(name => resetOf(headers.get(`x-codex-${name}-reset-at`), clock)))
}

function resetAfter(headers: Headers): Stated | undefined {
  const seconds = numberOf(headers.get('x-ratelimit-reset-after') ?? headers.get('ratelimit-reset-after'))
  return seconds === undefined ? undefined : { ms: seconds * 1_000 }
}

/**
 * IETF draft: `"name";r=0;t=30`, in earlier drafts `limit=100, remaining=0, reset=30`. Only items with nothing left count; of
 * those, the longest. One that does not say when it refills does so within the window of its policy, `"name";q=100;w=60`.
 */
function ietfRateLimit(value: string | undefined, policy = ''): Stated | undefined {
  if (value === undefined) return undefined
  const early = /\bremaining=0\b.*\breset=(\d+)|\breset=(\d+).*\bremaining=0\b/.exec(value)
  if (early) return { ms: Number(early[1] ?? early[2]) * 1_000 }
  const waits = value.split(',').flatMap(item => {
    if (/;\s*r=(\d+)/.exec(item)?.[1] !== '0') return []
    const seconds = /;\s*t=(\d+)/.exec(item)?.[1] ?? windowOf(item, policy)
    return seconds === undefined ? [] : [Number(seconds) * 1_000]
  })
  return waits.length > 0 ? { ms: Math.max(...waits) } : undefined
}

/** The window of the policy that an item names, in seconds. */
function windowOf(item: string, policy: string): string | undefined {
  const name = item.split(';', 1)[0]?.trim()
  const named = policy.split(',').find(entry => entry.split(';', 1)[0]?.trim() === name)
  return named === undefined ? undefined : /;\s*w=(\d+)/.exec(named)?.[1]
}

const LONGEST_NAME = 100
const RESET = /^(.*rate-?limit.*?)-?reset(?:-?time)?(-.+)?$/

/** Reset headers of empty buckets. A reset for a bucket with quota left is not a wait. */
function exhaustedBuckets(headers: Headers, guess: boolean, clock: Clock): Stated | undefined {
  const known: Stated[] = []
  const guessed: Stated[] = []
  for (const [name, value] of headers) {
    const match = name.length > LONGEST_NAME ? null : RESET.exec(name)
    if (!match || name.includes('unified')) continue
    const left = remaining(headers, match[1] as string, match[2] ?? '')
    // Some APIs send one header for several buckets: "1, 1419704" with "0, 1500" left.
    value.split(value.includes('GMT') ? '\n' : ',').forEach((part, index) => {
      const reset = resetOf(part.trim(), clock)
      if (reset === undefined) return
      if (numberOf(left?.split(',')[index]) === 0) known.push(reset)
      else if (left === undefined) guessed.push(reset)
    })
  }
  return known.length > 0 ? latest(known) : guess ? earliest(guessed) : undefined
}

function remaining(headers: Headers, prefix: string, suffix: string): string | undefined {
  const stem = prefix.replace(/-$/, '')
  return headers.get(`${stem}-remaining${suffix}`) ?? headers.get(`${stem}${suffix}-remaining`)
}

/** A duration (`6m0s`), a number by its size, or a date. */
export function resetOf(value: string | undefined, clock: Clock = {}): Stated | undefined {
  if (value === undefined) return undefined
  const number = numberOf(value)
  if (number !== undefined) return number === 0 ? undefined : readResetNumber(number)
  const at = parseHttpDate(value, clock)
  if (at !== undefined) return { at }
  // An incomplete date is not a duration either.
  if (/\d{4}-\d\d-\d\d/.test(value)) return undefined
  const ms = parseDuration(value)
  return ms === undefined ? undefined : { ms }
}

function numberOf(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,16}(?:\.\d{1,9})?\s*$/.test(value)) return undefined
  return Number(value)
}

function latest(waits: readonly (Stated | undefined)[]): Stated | undefined {
  return pick(waits, (a, b) => a > b)
}

function earliest(waits: readonly (Stated | undefined)[]): Stated | undefined {
  return pick(waits, (a, b) => a < b)
}

/** Compares durations with durations and points in time with points in time; a point wins over a duration. */
function pick(
  waits: readonly (Stated | undefined)[],
  better: (a: number, b: number) => boolean,
): Stated | undefined {
  const points = waits.filter(wait => wait !== undefined && 'at' in wait)
  const lengths = waits.filter(wait => wait !== undefined && 'ms' in wait)
  if (points.length > 0) return points.reduce((best, wait) => (better(wait.at, best.at) ? wait : best))
  return lengths.length > 0
    ? lengths.reduce((best, wait) => (better(wait.ms, best.ms) ? wait : best))
    : undefined
}
