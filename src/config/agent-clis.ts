/**
 * The agent CLIs that have a driver in src/agent/, in order of preference when no provider is named. `command` is any other
 * program.
 */
export const AGENT_CLIS = [
  'claude',
  'codex',
  'opencode',
  'gemini',
  'kimi',
  'qwen',
  'copilot',
  'command',
] as const

/** The name of an agent CLI that has a driver. */
export type AgentCli = (typeof AGENT_CLIS)[number]
