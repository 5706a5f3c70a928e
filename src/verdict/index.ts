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
export { FLOORS, floorMs, LOGIN_BLOCK, loginBlockMs, statedReset } from './floor.ts'
export { inWords } from './in-words.ts'
export { verdictToJson } from './json.ts'
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
export { modeOf } from './second-try.ts'
export { SHORT_WAIT_MS } from './step.ts'
export { isSucceeded, problemOfSucceeded, type Succeeded } from './succeeded.ts'
export { DEFAULT_TABLE, type Row, rowOf } from './table.ts'
export { tell } from './tell.ts'
export type { Action, CancelReason, Mode, ParkOrigin, ParkReason, Verdict } from './verdict.ts'
export { ofWholeTry, type WholeTry, withRemedy } from './whole-try.ts'
