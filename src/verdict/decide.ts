import type { Failure } from '../failure/failure.ts'
import { problemOfHealth, problemOfVerdict } from './check.ts'
import { type Circumstances, circumstancesOf } from './circumstances.ts'
import { defaultPolicy } from './default-policy.ts'
import { handleRejection, notify } from './listener.ts'
import type { AnsweringPolicy, HealthMark, PolicyAnswer, PolicyLike, PolicyProblem } from './policy.ts'
import { isSucceeded, problemOfSucceeded } from './succeeded.ts'
import type { Verdict } from './verdict.ts'

/** Policies from the most specific level to the least: call, capability, provider, config. The default policy comes last. */
export type Policies = PolicyLike | readonly PolicyLike[]

type Report = (problem: PolicyProblem) => void

/**
 * What to do about a failure. The most specific policy decides; if it answers `undefined`, the next level does. A policy that
 * throws or gives an invalid answer is reported by name, and the next level decides. Pure, except for what the policies do,
 * and for the clock if `now` is not given.
 * @param given circumstances that differ from their defaults; default none
 * @param policies the most specific first; default none, then the default policy decides
 * @param report called for each policy that gave no usable answer
 */
export function decide(
  failure: Failure,
  given: Partial<Circumstances> = {},
  policies: Policies = [],
  report?: Report,
): Verdict {
  const circumstances = circumstancesOf(given)
  for (const level of levelsOf(policies)) {
    const problemOf = (answer: unknown) =>
      isSucceeded(answer)
        ? 'only the answer to a failed try may be a success'
        : problemOfVerdict(answer, circumstances)
    const verdict = ask(level, 'verdict', failure, circumstances, problemOf, report)
    if (verdict !== undefined) return verdict as Verdict
  }
  return defaultPolicy.verdict(failure, circumstances)
}

/** Like {@link decide}, for a failed try: here a policy may also answer that the work succeeded, with a result. */
export function answerTo(
  failure: Failure,
  circumstances: Circumstances,
  policies: Policies = [],
  report?: Report,
): PolicyAnswer {
  for (const level of levelsOf(policies)) {
    const problemOf = (answer: unknown) =>
      isSucceeded(answer) ? problemOfSucceeded(answer) : problemOfVerdict(answer, circumstances)
    const answer = ask(level, 'verdict', failure, circumstances, problemOf, report) as
      | PolicyAnswer
      | undefined
    if (answer !== undefined)
      return isSucceeded(answer) ? { by: `policy ${level.name ?? 'without a name'}`, ...answer } : answer
  }
  return defaultPolicy.verdict(failure, circumstances)
}

/** What the failure means for the provider's health, by the same policies and defaults. */
export function healthOf(
  failure: Failure,
  given: Partial<Circumstances> = {},
  policies: Policies = [],
  report?: Report,
): HealthMark {
  return markOf(failure, circumstancesOf(given), policies, report)
}

/** Like {@link healthOf}, for circumstances that are complete. */
export function markOf(
  failure: Failure,
  circumstances: Circumstances,
  policies: Policies = [],
  report?: Report,
): HealthMark {
  for (const level of levelsOf(policies)) {
    const mark = ask(level, 'health', failure, circumstances, problemOfHealth, report)
    if (mark !== undefined) return mark as HealthMark
  }
  return defaultPolicy.health(failure, circumstances)
}

/** The policies as a list. */
export function levelsOf(policies: Policies): readonly Partial<AnsweringPolicy>[] {
  const list = Array.isArray(policies) ? (policies as readonly PolicyLike[]) : [policies as PolicyLike]
  return list.map(policy =>
    typeof policy === 'function' ? { name: policy.name || 'a function', verdict: policy } : policy,
  )
}

/** The only place where a user's policy runs. What it throws becomes a report. */
function ask(
  level: Partial<AnsweringPolicy>,
  member: 'verdict' | 'health',
  failure: Failure,
  circumstances: Circumstances,
  problemOf: (answer: unknown) => string | undefined,
  report: Report | undefined,
): unknown {
  if (level[member] === undefined) return undefined
  let problem: string | undefined
  try {
    const answer: unknown = level[member](failure, circumstances)
    if (answer === undefined) return undefined
    problem = problemOf(answer)
    if (problem === undefined) return answer
    handleRejection(answer)
  } catch (error) {
    problem = `it threw ${thrownInWords(error)}`
  }
  notify(report, { policy: level.name ?? 'a policy without a name', member, problem })
  return undefined
}

/** Must not throw: anything can be thrown, even a value that cannot be converted to a string. */
function thrownInWords(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return `a value of type ${typeof error}`
  }
}
