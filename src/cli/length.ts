import { UsageError } from './arguments.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const LENGTH = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/

/** A length of time as flags have it, such as `90s`, `10m` or `1h30m`, in milliseconds. */
export function lengthOf(flag: string, text: string): number {
  const parts = LENGTH.test(text) ? [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)] : []
  const ms = parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNITS[unit as string] as number),
    0,
  )
  if (ms > 0) return ms
  throw new UsageError(`${flag} takes a length such as 90s, 10m or 1h30m, not ${JSON.stringify(text)}`)
}
