import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { goose } from './goose.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import {
  aider,
  amp,
  cline,
  continueCli,
  crush,
  cursor,
  droid,
  openhands,
  plandex,
  roo,
  sweAgent,
} from './others.ts'
import type { AgentProfile } from './profile.ts'
import { qwen } from './qwen.ts'

/**
 * Every known agent CLI. Among CLIs with similar output, the one with more marks of its own comes first, because it is asked
 * first whether an event is its own. Claude Code, whose stream many copied, takes the rest.
 */
export const PROFILES: readonly AgentProfile[] = [
  codex,
  copilot,
  opencode,
  cline,
  aider,
  goose,
  crush,
  kimi,
  gemini,
  roo,
  qwen,
  claude,
  cursor,
  amp,
  droid,
  openhands,
  sweAgent,
  continueCli,
  plandex,
]
