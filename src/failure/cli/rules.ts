import { family, type Rule } from '../catalogue/rule.ts'
import * as aider from './aider.ts'
import * as amp from './amp.ts'
import * as claude from './claude.ts'
import * as cline from './cline.ts'
import * as codex from './codex.ts'
import * as continueCli from './continue.ts'
import * as copilot from './copilot.ts'
import * as crush from './crush.ts'
import * as cursor from './cursor.ts'
import * as droid from './droid.ts'
import * as gemini from './gemini.ts'
import * as goose from './goose.ts'
import * as kimi from './kimi.ts'
import * as opencode from './opencode.ts'
import * as openhands from './openhands.ts'
import * as plandex from './plandex.ts'
import type { ProfileRules, ProfileSample } from './profile.ts'
import { PROFILES } from './profiles.ts'
import * as qwen from './qwen.ts'
import * as roo from './roo.ts'
import { lines, printed } from './shapes.ts'
import * as sweAgent from './swe-agent.ts'

/**
 * The parts of each profile that only the catalogue and the tests need. Separate from profiles.ts, so a program with a
 * compiled catalogue loads none of it.
 */
export const EVIDENCE: Readonly<Record<string, { rules: ProfileRules; sample: () => ProfileSample }>> = {
  claude,
  codex,
  gemini,
  qwen,
  opencode,
  kimi,
  goose,
  aider,
  copilot,
  cursor,
  droid,
  cline,
  roo,
  crush,
  amp,
  continue: continueCli,
  openhands,
  'swe-agent': sweAgent,
  plandex,
}

/** Rules that several agent CLIs share. */
const common = family('agent', {
  cut_off: {
    kind: 'stream_cut',
    rank: 'hint',
    why: 'exit code 0, but the last event is missing: something ended the run from outside, and not the caller',
    when: { code: ['ended=cut_off'] },
    example: {
      ...lines({ type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: '2.1.0' }),
      exitCode: 0,
    },
  },
  called_wrongly: {
    kind: 'config',
    rank: 'last',
    why: 'this exit code comes from its argument parser',
    when: PROFILES.filter(({ usageExitCode }) => usageExitCode !== undefined).map(
      ({ name, usageExitCode }) => ({ code: [`exit=${usageExitCode}`], also: [`agent=${name}`] }),
    ),
    example: printed('', 2),
    exampleProvider: 'codex',
  },
  called_without: {
    kind: 'config',
    rank: 'cause',
    why: 'a prompt, a provider or a companion flag is missing, or the flag is refused here',
    when: {
      says: [
        '(input|prompt) must be provided',
        'no provider configured',
        'stream json requires verbose',
        'cannot be used with root',
        'invalid mcp (configuration|config)',
        'permission prompt tool … not found',
      ],
    },
    example: printed(
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
    ),
  },
})

/** How agent CLIs word their failures, beyond what the general rules already recognise. */
export default [...common, ...Object.values(EVIDENCE).flatMap(({ rules }) => rules())] satisfies Rule[]
