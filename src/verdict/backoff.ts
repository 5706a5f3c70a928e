/** How the wait before a retry grows. */
export type BackoffName = 'adaptive' | 'fixed10s' | 'exponential' | 'fullJitter' | 'oban'

/** No step of a backoff is longer than this. */
export const LONGEST_BACKOFF_MS = 1_142_900

const SECOND = 1_000
const ADAPTIVE = [10, 20, 45, 90, 120].map(seconds => seconds * SECOND)

/**
 * Schedules by name, as functions of the retries already made (0 before the first) and of a random number:
 *
 * - `adaptive`     10, 20, 45, 90, 120 s: an outage may be a spike or a restart of minutes
 * - `fixed10s`     always 10 s
 * - `exponential`  10 s doubling, at most 120 s
 * - `oban`         15 s and a second doubling up to 1,024 s, and up to a tenth more: as a job queue of that name waits
 * - `fullJitter`   anything between 0 and 1 s doubling, at most 30 s: many callers do not come back together
 */
const SCHEDULES: Record<BackoffName, (retries: number, random: number) => number> = {
  adaptive: retries => ADAPTIVE[Math.min(retries, ADAPTIVE.length - 1)] as number,
  fixed10s: () => 10 * SECOND,
  exponential: retries => doubled(10 * SECOND, retries, 120 * SECOND),
  fullJitter: (retries, random) => random * doubled(SECOND, retries, 30 * SECOND),
  oban: (retries, random) =>
    (15 * SECOND + doubled(2 * SECOND, retries, 1_024 * SECOND)) * (1 + 0.1 * random),
}

export const BACKOFF_NAMES = Object.keys(SCHEDULES) as readonly BackoffName[]

/**
 * Milliseconds to wait before the next retry: a whole number between 0 and {@link LONGEST_BACKOFF_MS} for any
 * arguments whatever. Retries that are no count are taken as none, a random number outside [0, 1) is clamped,
 * and an unknown name means `fixed10s`.
 */
export function backoffMs(name: BackoffName, retries: number, random: number): number {
  const schedule = Object.hasOwn(SCHEDULES, name) ? SCHEDULES[name] : SCHEDULES.fixed10s
  const count = retries >= 1 ? Math.floor(Math.min(retries, 1_000)) : 0
  const share = random >= 0 ? Math.min(random, 1) : 0
  return Math.round(schedule(count, share))
}

/** What is added to a wait in the queue at most, as a share of the step of its backoff. */
export const JITTER = 0.25

/**
 * Milliseconds that a wait in the queue is longer than its step, so that operations which failed together do not come
 * back together: at most a quarter of the step. `fullJitter` and `oban` spread by themselves.
 */
export function jitterMs(name: BackoffName, stepMs: number, random: number): number {
  if (name === 'fullJitter' || name === 'oban') return 0
  const share = random >= 0 ? Math.min(random, 1) : 0
  return Math.round(stepMs * JITTER * share)
}

/** The longest time that all waits for this many retries can take together, in milliseconds. */
export function longestWaitsMs(name: BackoffName, retries: number): number {
  const longest = (retry: number) => backoffMs(name, retry, 1) + jitterMs(name, backoffMs(name, retry, 1), 1)
  // From here on all steps are the same, however many there are.
  const steps = Math.min(retries, LAST_NEW_STEP)
  let sum = 0
  for (let retry = 0; retry < steps; retry++) sum += longest(retry)
  return sum + Math.max(0, retries - steps) * longest(steps)
}

/** No schedule grows any more after this many retries. */
const LAST_NEW_STEP = 16

function doubled(base: number, times: number, cap: number): number {
  return Math.min(base * 2 ** times, cap)
}
