import type { AgentCli } from '../config/agent-clis.ts'
import { claude } from './claude.ts'
import type { Cli } from './cli.ts'
import { codex } from './codex.ts'
import { command } from './command.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import { qwen } from './qwen.ts'

/** The drivers, in the default order of preference. */
export const CLIS: Readonly<Record<AgentCli, Cli>> = {
  claude,
  codex,
  opencode,
  gemini,
  kimi,
  qwen,
  copilot,
  command,
}
