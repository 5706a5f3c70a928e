export { AGENT_CLIS, type AgentCli } from '../config/agent-clis.ts'
export type { Usage } from '../failure/cli/spending.ts'
export {
  type AgentConfig,
  Agents,
  agentsFrom,
  type Chosen,
  type ConfiguredProvider,
  UnknownAgent,
} from './agents-from.ts'
export { OWN_OPTIONS } from './arguments.ts'
export type { AuthReason } from './auth-reason.ts'
export { findBinary } from './binary.ts'
export {
  type AgentCallOptions,
  type AgentCallResult,
  agentFailureOf,
  callAgent,
  type WorktreeLeft,
} from './call-agent.ts'
export { agentProblems, problemOfOptions } from './check-options-of.ts'
export type { Argument, Cli, Login } from './cli.ts'
export { CLIS } from './clis.ts'
export { type Checkup, type Complaint, examine } from './doctor.ts'
export { agentsOf, poolsOf } from './from-config.ts'
export { type HealthConfigDeps, healthSettings, lookingHealthSettings } from './health-from-config.ts'
export { type Launch, planLaunch } from './launch.ts'
export {
  type AgentOptions,
  checkOptions,
  EFFORTS,
  type Effort,
  mergeOptions,
  OPTION_NAMES,
  OPTION_RULES,
  OptionError,
  type OptionName,
  optionsFromJson,
  PERMISSION_MODES,
  type PermissionMode,
} from './options.ts'
export type { AgentAnswer, AgentFailure, AgentOutcome, Spent } from './outcome.ts'
export type { AgentRequest, AgentSession } from './request.ts'
export { CONTINUE_PROMPT, MAX_RESUMES_DEFAULT, type ResumeOptions, resume } from './resume.ts'
export { type RunAgentOptions, runAgent } from './run-agent.ts'
export { isLostSession } from './session-lost.ts'
export {
  type AgentSettings,
  type Price,
  SELF_RETRIES_DEFAULT,
  STALL_DEFAULT_MS,
} from './settings.ts'
export { compareVersions, parseVersion } from './version.ts'
export {
  MAX_SELF_RETRIES_DEFAULT,
  MAX_SELF_WAIT_DEFAULT_MS,
  type SelfRetrying,
  type WatchSettings,
} from './watch.ts'
export { discardWorktree, isWorktreeChanged, makeWorktree, type Worktree } from './worktree.ts'
