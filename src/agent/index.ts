export type { AgentCli } from '../config/agent-clis.ts'
export type { Usage } from '../failure/cli/spending.ts'
export {
  type AgentCallOptions,
  type AgentCallResult,
  agentFailureOf,
  callAgent,
  type WorktreeLeft,
} from './call-agent.ts'
export { type AgentOptions, OptionError } from './options.ts'
export type { AgentAnswer, AgentFailure, AgentOutcome } from './outcome.ts'
export type { AgentRequest, AgentSession } from './request.ts'
export { type ResumeOptions, resume, sessionFrom } from './resume.ts'
export { type RunAgentOptions, runAgent } from './run-agent.ts'
export type { AgentSettings, Price } from './settings.ts'
export type { WatchSettings } from './watch.ts'
