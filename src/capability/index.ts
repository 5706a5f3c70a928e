export { type Admitted, admitParams } from './admit-params.ts'
export { type Capability, type CapabilityKind, type CapabilitySettings, isCapability } from './capability.ts'
export { type CheckedParams, checkParams } from './check-params.ts'
export type { PastAttempt, ResumeFrom, RunFacts, VerifyContext, WorkContext } from './context.ts'
export {
  capabilityFrom,
  type DeclareOptions,
  declareCapabilities,
} from './declare.ts'
export type { DeclaredCapability, DeclaredRequest, DeclaredText } from './declared-capability.ts'
export type { DeclaredParam, DeclaredParams } from './declared-params.ts'
export { defineCapability, type FunctionDefinition } from './define.ts'
export { allEffects, type FileEffect, fileEffect } from './effects.ts'
export { CapabilityError, isCapabilityError } from './error.ts'
export {
  type ConfigCapabilityOptions,
  capabilitiesOf,
  capabilityProblems,
  inert,
  type KnownCapabilities,
  knownCapabilities,
} from './from-config.ts'
export {
  askFailure,
  askResult,
  type Failed,
  type HandleFailure,
  type HandleResult,
  HOOK_LIMIT_DEFAULT_MS,
  type HookContext,
  type HookProblem,
  type HookTools,
  isFailed,
} from './hooks.ts'
export { type Json, toJson } from './json.ts'
export {
  type AgentDefinition,
  type AgentJob,
  type AgentOption,
  agentCapability,
  type RunAgent,
} from './kind/agent-capability.ts'
export type { DeclaredVerification } from './kind/check.ts'
export { type CommandSpec, OUTPUT_LIMIT_DEFAULT_BYTES } from './kind/command.ts'
export { type CommandDefinition, commandCapability } from './kind/command-capability.ts'
export type { DeclaredSettings, Params } from './kind/declared.ts'
export { type HttpDefinition, httpCapability } from './kind/http-capability.ts'
export {
  BODY_LIMIT_DEFAULT_BYTES,
  type HttpAnswer,
  METHODS,
  type Method,
  type RequestSpec,
} from './kind/request.ts'
export { type LoadOptions, loadModules } from './load-modules.ts'
export { partsNotVerified } from './partly-verified.ts'
export {
  type ParkVerdict,
  type PreparedRun,
  type PrepareRunDeps,
  prepareRun,
} from './prepare-run.ts'
export {
  PROMPT_CAPABILITY,
  type PromptParams,
  promptCapabilities,
  REPEATABLE_PROMPT_CAPABILITY,
} from './prompt-capability.ts'
export { providersOf } from './providers.ts'
export { CapabilityRegistry, type Claimable } from './registry.ts'
export {
  type CutResult,
  isCut,
  RESULT_LIMIT_DEFAULT_BYTES,
  type ResultFile,
  removeFiles,
  removeResults,
  resultFiles,
  type StoredResult,
  type StoreOptions,
  storeResult,
  wholeResult,
} from './result.ts'
export {
  mayRunAgain,
  mustVerify,
  RETRY_POLICIES,
  type RetryPolicy,
  secondTryCircumstances,
} from './retry-policy.ts'
export { type AgentResult, type AgentRunnerOptions, agentRunner } from './run-agent.ts'
export { type Envelope, isEnvelope } from './secret/envelope.ts'
export { hideSecrets } from './secret/hide-secrets.ts'
export { SECRET_KEY_VARIABLE } from './secret/key.ts'
export { KEY_FILE_NAME, KeyRing, type KeyRingOptions, SecretKeyError } from './secret/key-ring.ts'
export { Mask } from './secret/mask.ts'
export { type Opened, Secrets, type SecretsOptions } from './secret/secrets.ts'
export { HIGHEST_PRIORITY } from './settings.ts'
export {
  type Check,
  type CheckAnswer,
  VERIFY_TIMEOUT_DEFAULT_MS,
  type Verification,
  type Verified,
  type VerifyOptions,
  verify,
  verifyNotBefore,
} from './verify.ts'
export {
  failureOfTryElsewhere,
  failureOfWholeTry,
  type TryElsewhere,
  withRemedyFor,
} from './whole-try.ts'
export {
  runWork,
  WORK_GRACE_DEFAULT_MS,
  type WorkOptions,
  workFailure,
} from './work.ts'
export { isWorkFailed, WorkFailed } from './work-failed.ts'
