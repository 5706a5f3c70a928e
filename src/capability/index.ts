export type { RetryPolicy } from '../verdict/retry-policy.ts'
export { type Capability, type CapabilityKind, type CapabilitySettings, isCapability } from './capability.ts'
export { type CheckedParams, checkParams } from './check-params.ts'
export type {
  PastAttempt,
  ResumeFrom,
  RunFacts,
  VerifyContext,
  WorkContext,
  WorkStepOptions,
} from './context.ts'
export { defineCapability, type FunctionDefinition } from './define.ts'
export { allEffects, type FileEffect, fileEffect } from './effects.ts'
export { CapabilityError, isCapabilityError } from './error.ts'
export type { Failed, HandleFailure, HandleResult, HookContext } from './hook.ts'
export {
  type AgentDefinition,
  type AgentJob,
  agentCapability,
  type RunAgent,
} from './kind/agent-capability.ts'
export type { DeclaredVerification } from './kind/check.ts'
export { type CommandDefinition, commandCapability } from './kind/command-capability.ts'
export { type HttpDefinition, httpCapability } from './kind/http-capability.ts'
export { partsNotVerified } from './partly-verified.ts'
export type { CapabilityRegistry } from './registry.ts'
export type { CheckAnswer, Verification, Verified } from './verification.ts'
export { type VerifyOptions, verify } from './verify.ts'
export { WorkFailed } from './work-failed.ts'
