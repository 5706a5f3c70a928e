import type { Failure } from '../failure/index.ts'

/** A length of time for a reader: the two largest units that matter. */
export function lengthInWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]
  const first = units.findIndex(([size]) => ms >= size)
  const [size, name] = units[first] as [number, string]
  const next = units[first + 1]
  const whole = Math.floor(ms / size)
  if (!next) return `${Number((ms / size).toFixed(1))} ${name}`
  const rest = Math.floor((ms - whole * size) / next[0])
  return rest > 0 ? `${whole} ${name} ${rest} ${next[1]}` : `${whole} ${name}`
}

/** When it can work again, if the failure says so. */
export function waitInWords(failure: Failure): string | undefined {
  if (failure.retryAfterMs === undefined) return undefined
  const length = `in ${lengthInWords(failure.retryAfterMs)}`
  return failure.resetAt === undefined
    ? length
    : `${length} (${new Date(failure.resetAt).toISOString().replace('.000Z', 'Z')})`
}

export const EFFECT_IN_WORDS = {
  none: 'nothing was accepted or done',
  maybe: 'it may already have taken effect',
  done: 'it took effect',
} as const

/** A failure in one line: what, when again, what it may have done, what it said. */
export function failureInOneLine(failure: Failure): string {
  const wait = waitInWords(failure)
  const parts = [
    `${failure.class}/${failure.kind}`,
    ...(wait ? [`works again ${wait}`] : []),
    EFFECT_IN_WORDS[failure.effect],
    failure.message,
  ]
  return parts.join(' · ')
}
