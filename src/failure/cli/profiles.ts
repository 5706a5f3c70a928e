import { aider } from './aider.ts'
import { amp } from './amp.ts'
import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { continueCli } from './continue.ts'
import { copilot } from './copilot.ts'
import { crush } from './crush.ts'
import { cursor } from './cursor.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { goose } from './goose.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import { openhands } from './openhands.ts'
import { plandex } from './plandex.ts'
import type { AgentProfile } from './profile.ts'
import { qwen } from './qwen.ts'
import { roo } from './roo.ts'
import { sweAgent } from './swe-agent.ts'

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
