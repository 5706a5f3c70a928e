import type { AgentProfile } from './profile.ts'

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
