export type { Attempt } from './attempt.ts'
export { type CallResult, call } from './call.ts'
export { CallFailed, isCallFailed } from './call-failed.ts'
export type { CallEvent, CallEventType } from './event.ts'
export { isKnownFailure, KnownFailure } from './known-failure.ts'
export {
  type CallOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_RETRIES_DEFAULT,
  MIN_RETRY_BUDGET_DEFAULT_MS,
} from './options.ts'
export { withoutRetries } from './sole-authority.ts'
export { type CallContext, type CallFunction, OVERSPENT, type Resume } from './try.ts'
