import type { Rule } from '../rule.ts'
import claude from './claude.ts'
import clineRoo from './cline-roo.ts'
import codex from './codex.ts'
import common from './common.ts'
import copilot from './copilot.ts'
import cursor from './cursor.ts'
import droid from './droid.ts'
import gemini from './gemini.ts'
import gooseAider from './goose-aider.ts'
import kimi from './kimi.ts'
import opencode from './opencode.ts'
import others from './others.ts'
import qwen from './qwen.ts'

/** How agent CLIs speak, where the general language of failures does not already say it. */
export default [
  ...common,
  ...claude,
  ...codex,
  ...gemini,
  ...qwen,
  ...opencode,
  ...kimi,
  ...gooseAider,
  ...copilot,
  ...cursor,
  ...droid,
  ...clineRoo,
  ...others,
] satisfies Rule[]
