import { family } from '../catalogue/rule.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered } from './shapes.ts'

/** aider. Reports failures in the chat and exits 0. */
export const aider: AgentProfile = {
  name: 'aider',
  names: ['aider'],
  text: {
    words: ['aider v', 'the api provider', 'tokens: '],
    opening: /^Aider v\d/m,
    signs: /^The API provider(?:'s servers| has| is| timed)|^Tokens: .{1,80} Cost: \$/m,
    finalError: /^litellm\.\w+:(?:\s|$)/,
    work: /^(?:Applied edit to |Commit [0-9a-f]{7})/m,
    price: /^Tokens: .{0,80}Cost: .{0,40}\$(\d+(?:\.\d+)?) session\b/gm,
  },
  usageExitCode: 2,
  notices: {
    lastWords:
      /^(?:litellm\.\w+:(?:\s|$)|Model \S+ has hit a token limit!|Only \d+ reflections allowed|Insufficient credits with)/,
  },
}

const said = (stdout: string) => answered(stdout, 0)

/** litellm's error classes. */
export const rules: ProfileRules = () =>
  family('aider', {
    permission: {
      kind: 'auth',
      rank: 'cause',
      why: "litellm's error class for a key without the required rights",
      when: { says: ['litellm permission denied error'] },
      example: said('litellm.PermissionDeniedError: PermissionDeniedError: no'),
    },
    no_model: {
      kind: 'model_not_found',
      rank: 'cause',
      why: "litellm's error class for a model or address that does not exist",
      when: { says: ['litellm not found error'] },
      example: said('litellm.NotFoundError: NotFoundError: no'),
    },
  })

export const sample = (): ProfileSample => ({
  success: said('Aider v0.86\nThe 429 is handled now.'),
  failure: {
    ...said(
      'Aider v0.86\nTokens: 1k sent. Cost: $0.01 message, $0.05 session.\nlitellm.NotFoundError: NotFoundError: no',
    ),
    class: 'permanent',
    kind: 'model_not_found',
    costUsd: 0.05,
  },
})
