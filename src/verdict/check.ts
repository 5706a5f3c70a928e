import { quote } from '../failure/quote.ts'
import type { Circumstances } from './circumstances.ts'
import type { HealthMark } from './policy.ts'
import { CANCEL_REASONS, PARK_REASONS } from './verdict.ts'

/** What is wrong with a policy's verdict; undefined if it is valid. */
export function problemOfVerdict(answer: unknown, circumstances: Circumstances): string | undefined {
  const shape = problemOfShape(
    answer,
    'a verdict',
    '{ action: "retry", delayMs: 1000, mode: "again", reason: "…", rule: "…" }',
  )
  if (shape) return shape
  const verdict = answer as Record<string, unknown>
  const { action, reason, rule } = verdict
  const test = typeof action === 'string' && Object.hasOwn(BY_ACTION, action) ? BY_ACTION[action] : undefined
  if (!test) return `unknown action ${quote(action)}; one of: ${Object.keys(BY_ACTION).join(', ')}`
  if (typeof reason !== 'string' || reason === '') return `a ${action} needs a reason`
  if (typeof rule !== 'string' || rule === '') return `a ${action} needs a rule`
  return test(verdict, circumstances)
}

/** What is wrong with a policy's health mark; undefined if it is valid. */
export function problemOfHealth(answer: unknown): string | undefined {
  const shape = problemOfShape(answer, 'a health mark', '{ breaker: "failure" }')
  if (shape) return shape
  const { breaker, blockUntil, fillWindows, ofTool, ofModel, pace } = answer as Record<
    keyof HealthMark,
    unknown
  >
  if (!['none', 'half', 'failure', 'trip'].includes(breaker as string)) {
    return `unknown breaker ${quote(breaker)}; one of: none, half, failure, trip`
  }
  if (blockUntil !== undefined && blockUntil !== 'cleared' && !isNumber(blockUntil)) {
    return `blockUntil must be epoch milliseconds or "cleared", not ${quote(blockUntil)}`
  }
  if (fillWindows !== undefined && typeof fillWindows !== 'boolean')
    return `fillWindows must be true or false, not ${quote(fillWindows)}`
  if (ofTool !== undefined && typeof ofTool !== 'boolean')
    return `ofTool must be true or false, not ${quote(ofTool)}`
  if (ofModel !== undefined && typeof ofModel !== 'boolean')
    return `ofModel must be true or false, not ${quote(ofModel)}`
  if (pace !== undefined && typeof pace !== 'boolean') return `pace must be true or false, not ${quote(pace)}`
  return undefined
}

function problemOfShape(answer: unknown, what: string, example: string): string | undefined {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
    return typeof (answer as { then?: unknown }).then === 'function'
      ? `it returned a promise, not ${what}; a policy must be synchronous`
      : undefined
  }
  return `${quote(answer)} is not ${what}; return one such as ${example}`
}

const BY_ACTION: Record<
  string,
  (verdict: Record<string, unknown>, circumstances: Circumstances) => string | undefined
> = {
  retry: ({ delayMs, mode }) => {
    if (!isNumber(delayMs) || delayMs < 0)
      return `a retry needs a delayMs of at least 0, not ${quote(delayMs)}`
    return problemOfMode(mode)
  },
  failover: () => undefined,
  snooze: ({ until, mode }, { now }) => {
    if (!isNumber(until)) return `a snooze needs \`until\` in epoch milliseconds, not ${quote(until)}`
    if (until <= now) return `a snooze must end after now (${now}), not at ${until}`
    return problemOfMode(mode)
  },
  park: verdict =>
    problemOfWord('a park needs `for` to be', verdict.for, PARK_REASONS) ??
    // The origin `runner` makes the queue check again at once; from a policy this would loop.
    (verdict.origin === undefined
      ? undefined
      : problemOfWord('the origin of a park must be', verdict.origin, ['provider', 'decision'])),
  cancel: verdict => problemOfWord('a cancel needs `as` to be', verdict.as, CANCEL_REASONS),
}

function problemOfMode(mode: unknown): string | undefined {
  return problemOfWord('mode must be', mode, ['again', 'resume'])
}

function problemOfWord(what: string, word: unknown, known: readonly string[]): string | undefined {
  return known.includes(word as string) ? undefined : `${what} one of ${known.join(', ')}, not ${quote(word)}`
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value)
}
