export type { Finish } from '../failure/stream/finish.ts'
export type { TokenUsage } from '../failure/stream/usage.ts'
export type { Routing } from '../provider/settings.ts'
export type { Attempt } from './attempt/attempt.ts'
export type { Bill, Spent } from './bill.ts'
export { call } from './call.ts'
export { CallFailed, isCallFailed } from './call-failed.ts'
export type { CallResult } from './call-result.ts'
export type { CallContext, CallFunction, Resume } from './context.ts'
export { council } from './council.ts'
export type { CouncilEvent } from './council-event.ts'
export type { Aggregator, CouncilMember, CouncilOptions } from './council-options.ts'
export {
  type Aggregation,
  type CouncilAnswers,
  CouncilFailed,
  type CouncilResult,
  type MemberAborted,
  type MemberFailure,
  type MemberSuccess,
} from './council-result.ts'
export type { CallEvent } from './event.ts'
export { type CalcPrice, libraryPrices } from './library-prices.ts'
export type { CallOptions } from './options.ts'
export { CONTROL_FLOW, type PassThrough } from './pass-through.ts'
export type { ModelPrice, Prices } from './price.ts'
export { processHealth } from './process-health.ts'
export { SdkError } from './sdk-error.ts'
export { withoutRetries } from './without-retries.ts'
