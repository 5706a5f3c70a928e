export type { BackoffName } from './backoff.ts'
export type { Circumstances } from './circumstances.ts'
export { decide, healthOf, type Policies } from './decide.ts'
export { defaultPolicy } from './default-policy.ts'
export { verdictToJson } from './json.ts'
export type {
  AnsweringPolicy,
  HealthMark,
  Policy,
  PolicyAnswer,
  PolicyLike,
  PolicyProblem,
} from './policy.ts'
export { PRESETS, type PresetName } from './presets/presets.ts'
export type { Succeeded } from './succeeded.ts'
export type { Action, CancelReason, Mode, ParkReason, Verdict } from './verdict.ts'
