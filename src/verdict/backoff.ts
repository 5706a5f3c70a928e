/** How the wait before a retry grows. */
export type BackoffName = 'adaptive' | 'fixed10s' | 'fixed_10s' | 'exponential' | 'fullJitter' | 'oban'

/** The longest wait of any backoff, in milliseconds. */
export const LONGEST_BACKOFF_MS = 1_142_900

const SECOND = 1_000
const ADAPTIVE = [10, 20, 45, 90, 120].map(seconds => seconds * SECOND)

/**
 * Schedules by name, as functions of the retries already made (0 before the first) and a random number:
 *
 * - `adaptive`     10, 20, 45, 90, 120 s: an outage may be a spike or a restart that takes minutes
 * - `fixed10s`     always 10 s; also called `fixed_10s`
 * - `exponential`  10 s, doubling up to 120 s
 * - `oban`         15 s plus 1 s doubling up to 1,024 s, plus up to a tenth: as the job queue Oban waits
 * - `fullJitter`   random between 0 and 1 s, doubling up to 30 s: keeps many callers from returning together
 */
const SCHEDULES: Record<BackoffName, (retries: number, random: number) => number> = {
  adaptive: retries => ADAPTIVE[Math.min(retries, ADAPTIVE.length - 1)] as number,
  fixed10s: () => 10 * SECOND,
  fixed_10s: () => 10 * SECOND,
  exponential: retries => doubled(10 * SECOND, retries, 120 * SECOND),
  fullJitter: (retries, random) => random * doubled(SECOND, retries, 30 * SECOND),
  oban: (retries, random) =>
    (15 * SECOND + doubled(2 * SECOND, retries, 1_024 * SECOND)) * (1 + 0.1 * random),
}

export const BACKOFF_NAMES = Object.keys(SCHEDULES) as readonly BackoffName[]

/**
 * Milliseconds to wait before the next retry: a whole number between 0 and {@link LONGEST_BACKOFF_MS} for any input. Invalid
 * retries count as 0, a random number outside [0, 1) is clamped, and an unknown name means `fixed10s`.
 */
export function backoffMs(name: BackoffName, retries: number, random: number): number {
  const schedule = Object.hasOwn(SCHEDULES, name) ? SCHEDULES[name] : SCHEDULES.fixed10s
  const count = retries >= 1 ? Math.floor(Math.min(retries, 1_000)) : 0
  const share = random >= 0 ? Math.min(random, 1) : 0
  return Math.round(schedule(count, share))
}

/** The largest jitter of a wait in the queue, as a share of its backoff step. */
export const JITTER = 0.25

/**
 * Milliseconds to add to a wait in the queue, at most a quarter of its step, so operations that failed together do not
 * return together. `fullJitter` and `oban` already include jitter.
 */
export function jitterMs(name: BackoffName, stepMs: number, random: number): number {
  if (name === 'fullJitter' || name === 'oban') return 0
  const share = random >= 0 ? Math.min(random, 1) : 0
  return Math.round(stepMs * JITTER * share)
}

/** The longest total of all waits for this many retries, in milliseconds. */
export function longestWaitsMs(name: BackoffName, retries: number): number {
  const longest = (retry: number) => backoffMs(name, retry, 1) + jitterMs(name, backoffMs(name, retry, 1), 1)
  // From here on all steps are the same.
  const steps = Math.min(retries, LAST_NEW_STEP)
  let sum = 0
  for (let retry = 0; retry < steps; retry++) sum += longest(retry)
  return sum + Math.max(0, retries - steps) * longest(steps)
}

/** No schedule grows beyond this many retries. */
const LAST_NEW_STEP = 16

function doubled(base: number, times: number, cap: number): number {
  return Math.min(base * 2 ** times, cap)
}
