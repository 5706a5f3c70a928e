export {
  type AgentDefinition,
  type AgentOption,
  type AgentRequest,
  agentCapability,
  type RunAgent,
} from './agent-capability.ts'
export type { DeclaredVerification } from './check.ts'
export { type CommandSpec, OUTPUT_LIMIT_DEFAULT_BYTES } from './command.ts'
export { type CommandDefinition, commandCapability } from './command-capability.ts'
export type { DeclaredSettings, Params } from './declared.ts'
export { type HttpDefinition, httpCapability } from './http-capability.ts'
export {
  BODY_LIMIT_DEFAULT_BYTES,
  type HttpAnswer,
  METHODS,
  type Method,
  type RequestSpec,
} from './request.ts'
