export { isKnownFailure, KnownFailure } from '../failure/known-failure.ts'
export type { Attempt } from './attempt/attempt.ts'
export { OVERSPENT } from './attempt/outcome.ts'
export { call } from './call.ts'
export { CallFailed, isCallFailed } from './call-failed.ts'
export type { CallResult } from './call-result.ts'
export { council } from './council.ts'
export type { CouncilEvent } from './council-event.ts'
export {
  AGGREGATOR_BUDGET_DEFAULT_MS,
  type Aggregator,
  type CouncilMember,
  type CouncilOptions,
  FEWEST_ANSWERS,
  MEMBER_BUDGET_DEFAULT_MS,
} from './council-options.ts'
export {
  type Aggregation,
  type CouncilAnswers,
  type CouncilEnd,
  CouncilFailed,
  type CouncilResult,
  type MemberAborted,
  type MemberFailure,
  type MemberSuccess,
} from './council-result.ts'
export type { CallEvent, CallEventType } from './event.ts'
export {
  type CallOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_RETRIES_DEFAULT,
  MIN_RETRY_BUDGET_DEFAULT_MS,
} from './options.ts'
export { participationSummary, textOfValue } from './participation.ts'
export { CONTROL_FLOW, type PassThrough } from './pass-through.ts'
export { health } from './process-health.ts'
export { SdkError } from './sdk-error.ts'
export { withoutRetries } from './sole-authority.ts'
export type { CallContext, CallFunction, Resume } from './try.ts'
