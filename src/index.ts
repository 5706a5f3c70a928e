export type { Attempt } from './call/attempt/attempt.ts'
export { OVERSPENT } from './call/attempt/outcome.ts'
export { call } from './call/call.ts'
export { CallFailed, isCallFailed } from './call/call-failed.ts'
export type { CallResult } from './call/call-result.ts'
export { council } from './call/council.ts'
export type { CouncilEvent } from './call/council-event.ts'
export {
  AGGREGATOR_BUDGET_DEFAULT_MS,
  type Aggregator,
  type CouncilMember,
  type CouncilOptions,
  FEWEST_ANSWERS,
  MEMBER_BUDGET_DEFAULT_MS,
} from './call/council-options.ts'
export {
  type Aggregation,
  type CouncilAnswers,
  type CouncilEnd,
  CouncilFailed,
  type CouncilResult,
  type MemberAborted,
  type MemberFailure,
  type MemberSuccess,
} from './call/council-result.ts'
export type { CallEvent, CallEventType } from './call/event.ts'
export {
  type CallOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_RETRIES_DEFAULT,
  MIN_RETRY_BUDGET_DEFAULT_MS,
} from './call/options.ts'
export { participationSummary, textOfValue } from './call/participation.ts'
export { CONTROL_FLOW, type PassThrough } from './call/pass-through.ts'
export { health } from './call/process-health.ts'
export { SdkError } from './call/sdk-error.ts'
export { withoutRetries } from './call/sole-authority.ts'
export type { CallContext, CallFunction, Resume } from './call/try.ts'
export type {
  Classifier,
  ClassifierAnswer,
  ClassifierProblem,
  ClassifierQuestion,
} from './failure/classifier.ts'
export { classify, classifyKnown, throttleHint } from './failure/classify.ts'
export type { ClassifyContext, RailKind } from './failure/context.ts'
export { whyOfRule } from './failure/explain.ts'
export {
  classOfKind,
  type Effect,
  type Evidence,
  type Failure,
  type FailureClass,
  type FailureKind,
  isFailureClass,
  isFailureKind,
  KINDS,
  type RefusalScope,
} from './failure/failure.ts'
export { type FailureJson, failureFromJson, failureToJson } from './failure/json.ts'
export { isKnownFailure, KnownFailure } from './failure/known-failure.ts'
export {
  MEANING,
  type MeaningfulError,
  meaningOf,
  type OwnMeaning,
  WrongArgument,
} from './failure/own-error.ts'
export { isRedacted, REDACTED, redact } from './failure/redact.ts'
export { hideKnown, hideKnownIn } from './failure/secret/hide.ts'
export { hiddenValues, hideFromNowOn } from './failure/secret/known.ts'
export { isSessionId } from './failure/session-id.ts'
export {
  buildSignatureMap,
  classifyLines,
  matchSignatures,
  type SignatureAnswer,
  SignatureCompileError,
  type SignatureLists,
  type SignatureMap,
  type SignatureMatch,
  Signatures,
  unknownDedupeKey,
} from './failure/signature.ts'
export type { Block, ClearedBy } from './provider/block.ts'
export { credentialHash } from './provider/block.ts'
export {
  BREAKER_DEFAULTS,
  type BreakerPhase,
  type BreakerSettings,
  type BreakerState,
} from './provider/breaker.ts'
export type { BlockScope, HealthEvent, HealthEventType } from './provider/event.ts'
export type { Choice, Cost, Gate, GateRequest, Outlook, PassedOver, Permit } from './provider/gate.ts'
export type { ElsewhereTry } from './provider/health.ts'
export type { HealthOptions } from './provider/health-options.ts'
export { MemoryStore, type StoreSnapshot } from './provider/memory-store.ts'
export { NodeHealth as Health } from './provider/node-health.ts'
export { Pool, type PoolRequest } from './provider/pool.ts'
export {
  PROBE_TIMEOUT_DEFAULT_MS,
  type ProbeContext,
  type ProbeResult,
  type ProbeSettings,
} from './provider/probe.ts'
export { RetryBucket, type RetryBucketOptions } from './provider/retry-bucket.ts'
export type { Cap, FleetCeiling, ModelSettings, PoolSettings, ProviderSettings } from './provider/settings.ts'
export type { ProviderStatus } from './provider/status.ts'
export type { ProviderStore, Spend, StoredChange, StoredState } from './provider/store.ts'
export { type Level, NEAR, type Unit, type WindowUse } from './provider/window-use.ts'
export {
  BACKOFF_NAMES,
  type BackoffName,
  backoffMs,
  JITTER,
  jitterMs,
  LONGEST_BACKOFF_MS,
  longestWaitsMs,
} from './verdict/backoff.ts'
export { problemOfHealth, problemOfVerdict } from './verdict/check.ts'
export type { Circumstances } from './verdict/circumstances.ts'
export { answerTo, decide, healthOf, levelsOf, type Policies } from './verdict/decide.ts'
export { defaultPolicy } from './verdict/default-policy.ts'
export { durationInWords } from './verdict/duration-words.ts'
export { type TryFacts, withEffectOfTry, withRemedy } from './verdict/effect-of-try.ts'
export { verdictToJson } from './verdict/json.ts'
export { notify } from './verdict/listener.ts'
export type {
  AnsweringPolicy,
  HealthMark,
  Policy,
  PolicyAnswer,
  PolicyLike,
  PolicyProblem,
} from './verdict/policy.ts'
export {
  COUNCIL_MIN_RETRY_BUDGET_MS,
  type CouncilClass,
  councilClass,
  councilPolicy,
} from './verdict/presets/council.ts'
export { PRESETS, type PresetName } from './verdict/presets/presets.ts'
export { workBuddyDelayMs } from './verdict/presets/work-buddy.ts'
export { statedReset } from './verdict/stated-reset.ts'
export { SHORT_WAIT_MS } from './verdict/step.ts'
export { isSucceeded, problemOfSucceeded, type Succeeded } from './verdict/succeeded.ts'
export { DEFAULT_TABLE, type Row, rowOf } from './verdict/table.ts'
export { retryMode } from './verdict/try-again.ts'
export {
  LOGIN_BLOCK,
  loginBlockMs,
  UNSTATED_WAITS,
  unstatedWaitMs,
} from './verdict/unstated-wait.ts'
export type { Action, CancelReason, Mode, ParkReason, Verdict } from './verdict/verdict.ts'
