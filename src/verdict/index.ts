export {
  BACKOFF_NAMES,
  type BackoffName,
  backoffMs,
  JITTER,
  jitterMs,
  LONGEST_BACKOFF_MS,
  longestWaitsMs,
} from './backoff.ts'
export { problemOfHealth, problemOfVerdict } from './check.ts'
export type { Circumstances } from './circumstances.ts'
export { answerTo, decide, healthOf, levelsOf, type Policies } from './decide.ts'
export { defaultPolicy } from './default-policy.ts'
export { durationInWords } from './duration-words.ts'
export { type TryFacts, withEffectOfTry, withRemedy } from './effect-of-try.ts'
export { verdictToJson } from './json.ts'
export { notify } from './listener.ts'
export type {
  AnsweringPolicy,
  HealthMark,
  Policy,
  PolicyAnswer,
  PolicyLike,
  PolicyProblem,
} from './policy.ts'
export {
  COUNCIL_MIN_RETRY_BUDGET_MS,
  type CouncilClass,
  councilClass,
  councilPolicy,
} from './presets/council.ts'
export { PRESETS, type PresetName } from './presets/presets.ts'
export { workBuddyDelayMs } from './presets/work-buddy.ts'
export { statedReset } from './stated-reset.ts'
export { SHORT_WAIT_MS } from './step.ts'
export { isSucceeded, problemOfSucceeded, type Succeeded } from './succeeded.ts'
export { DEFAULT_TABLE, type Row, rowOf } from './table.ts'
export { retryMode } from './try-again.ts'
export { LOGIN_BLOCK, loginBlockMs, UNSTATED_WAITS, unstatedWaitMs } from './unstated-wait.ts'
export type { Action, CancelReason, Mode, ParkOrigin, ParkReason, Verdict } from './verdict.ts'
