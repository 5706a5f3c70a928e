import { nearest } from '../../option/nearest.ts'
import { DURATION_EXAMPLES, parseDuration } from '../../time/duration.ts'
import { INSTANT_EXAMPLE, parseInstant } from '../../time/instant.ts'
import { UsageError } from './arguments.ts'

/** A flag that takes a duration such as "10m"; undefined if not given. */
export function durationFlag(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = parseDuration(value)
  if (ms === undefined)
    throw new UsageError(
      `${flag} takes a duration such as ${DURATION_EXAMPLES}, not ${JSON.stringify(value)}`,
    )
  return ms
}

/** A flag that takes a duration above 0; undefined if not given. */
export function positiveDurationFlag(flag: string, value: string | undefined): number | undefined {
  const ms = durationFlag(flag, value)
  if (ms === 0) throw new UsageError(`${flag} takes a duration above 0, such as ${DURATION_EXAMPLES}`)
  return ms
}

/** A flag that takes a whole number of at least `min`; undefined if not given. */
export function countFlag(flag: string, value: string | undefined, min = 0): number | undefined {
  if (value === undefined) return undefined
  const count = /^\d{1,9}$/.test(value) ? Number(value) : -1
  if (count < min)
    throw new UsageError(`${flag} takes a whole number, ${min} or more, not ${JSON.stringify(value)}`)
  return count
}

/** A flag that takes one of several words; undefined if not given. */
export function choiceFlag<T extends string>(
  flag: string,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined
  const choice = choices.find(known => known === value)
  if (choice !== undefined) return choice
  const guess = nearest(value, choices)
  throw new UsageError(
    `${flag} takes one of ${choices.join(', ')}, not ${JSON.stringify(value)}${guess ? `; did you mean ${guess}?` : ''}`,
  )
}

/** A flag that takes a time; undefined if not given. */
export function instantFlag(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const at = parseInstant(value)
  if (at === undefined)
    throw new UsageError(`${flag} takes a time such as ${INSTANT_EXAMPLE}, not ${JSON.stringify(value)}`)
  return at
}

/** A flag that takes a time, or a duration from now; undefined if not given. */
export function dueFlag(flag: string, value: string | undefined, now: number): number | undefined {
  return momentFlag(flag, value, ms => now + ms, 'a duration from now such as 10m')
}

/** A flag that takes a time, or how long ago; undefined if not given. */
export function pastFlag(flag: string, value: string | undefined, now: number): number | undefined {
  return momentFlag(flag, value, ms => now - ms, 'how long ago, such as 2h')
}

function momentFlag(
  flag: string,
  value: string | undefined,
  from: (ms: number) => number,
  orElse: string,
): number | undefined {
  if (value === undefined) return undefined
  const ms = parseDuration(value)
  const at = ms === undefined ? parseInstant(value) : from(ms)
  if (at !== undefined) return at
  throw new UsageError(
    `${flag} takes a time such as ${INSTANT_EXAMPLE}, or ${orElse}, not ${JSON.stringify(value)}`,
  )
}

/** A flag that takes a whole number within bounds; undefined if not given. */
export function integerFlag(
  flag: string,
  value: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined
  const number = /^[+-]?\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${flag} takes a whole number from ${least} to ${most}, not ${JSON.stringify(value)}`)
}
