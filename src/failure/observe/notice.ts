import type { Agent } from './agent.ts'

/**
 * Failures that look like success: the run ends well by its exit code or its last event, and what stands in
 * place of an answer is the reason why there is none.
 */

const LONGEST_NOTICE = 400

/** Sentences with which agents open an answer that is none. Nobody who reports on work begins like this. */
const NOTICES = [
  /^(?:Claude (?:AI |Code )?)?usage limit reached(?:\||\. Your limit will reset)/i,
  /^You(?:'|’)ve (?:hit|reached|exceeded) your (?:\S+ ){0,4}(?:limit|quota|budget)\b/,
  /^You(?:'|’)(?:re|ve run) out of (?:\S+ ){0,4}(?:credits|usage)\b/,
  /^You have exhausted your (?:daily quota|capacity) on this model/,
  /^Your (?:org|organization|workspace) is out of /,
  /^(?:Credit balance is too low|Prompt is too long|Execution error|Request timed out|Exec failed|Rate limit reached)(?:$|[.·\s]*$| · )/,
  /^(?:Not logged in|Invalid API key|Invalid auth token|OAuth token revoked|Login expired) · /,
  /^(?:API Error|Failed to authenticate)[:.] /,
  /^\[API Error: [^]*\]/,
  /^(?:Error: )?(?:Reached max(?:imum number of)? turns|Exceeded USD budget|Reached maximum budget) \(/,
  /^Ran into this error(?: trying to compact)?: /,
  /^Network error: [^]*Please resend your message/,
  /^Please add credits to your account/,
  /^I(?:'|’)ve reached the maximum number of actions I can do without user input/,
  /^The model (?:response was blocked due to|returned an empty response with no text)/,
  /^Model response was truncated because it exceeded the token limit/,
  /^Out of Credits Add credits/,
]

/** True for an answer that consists of a stop notice. */
export function isStopNotice(answer: string): boolean {
  const text = answer.trim()
  return text.length <= LONGEST_NOTICE && NOTICES.some(notice => notice.test(text))
}

/** How the last words begin of those who exit 0 after a failure. */
const LAST_WORDS: Partial<Record<Agent, RegExp>> = {
  goose: /^(?:Ran into this error(?: trying to compact)?: |Network error: |Please add credits to your account|I(?:'|’)ve reached the maximum number of actions|The error above was an exception)/,
  aider: /^(?:litellm\.\w+: |Model \S+ has hit a token limit!|Only \d+ reflections allowed|Insufficient credits with)/,
  openhands: /^Conversation run failed for id=/,
  'swe-agent': /\bexit_[a-z_]+\b|\bExit(?:ing)? due to /,
  gemini: /^(?:\[API Error: |The model (?:response was blocked|returned an empty)|Model response was truncated|Loop detected)/,
  qwen: /^(?:\[API Error: |Loop detected|Run aborted: )/,
  amp: /^Error: /,
  copilot: /^(?:Error: |Execution failed: )/,
  opencode: /^(?:Error: |! permission requested: .*auto-rejecting)/,
  plandex: /^🚨 /,
  roo: /^\[(?:api request failed|CLI)\]/i,
  crush: /^\s*ERROR\s*$/,
}

const MOST_LAST_LINES = 8

/** The last words of a run that exited 0, if they tell of a failure: from where they begin to the end. */
export function lastWords(text: string, agent: Agent | undefined): string | undefined {
  const opening = agent === undefined ? undefined : LAST_WORDS[agent]
  return opening && endFrom(text, opening)
}

/** The complaint of a program that gave no answer at all. */
export function complaint(stderr: string): string | undefined {
  return endFrom(stderr, /^(?:error|fatal(?: error)?|exception)\b[: ]/i)
}

/** What an agent's transcript ends with where it fails: everything above is the work, and quotes anything. */
const FINAL_ERROR: Partial<Record<Agent, RegExp>> = {
  codex: /^(?:ERROR|Error|error): /,
  opencode: /^Error: /,
  kimi: /^error: failed to run prompt: /,
  gemini: /^An unexpected critical error occurred:/,
  qwen: /^An unexpected critical error occurred:/,
  crush: /^\s*ERROR\s*$/,
  aider: /^litellm\.\w+: /,
  goose: LAST_WORDS.goose as RegExp,
  openhands: LAST_WORDS.openhands as RegExp,
}

/** The final error at the end of a transcript, undefined where the agent marks none. */
export function finalError(text: string, agent: Agent | undefined): string | undefined {
  const opening = agent === undefined ? undefined : FINAL_ERROR[agent]
  return opening && endFrom(text, opening, 40)
}

function endFrom(text: string, opening: RegExp, most = MOST_LAST_LINES): string | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const at = lines.findLastIndex(line => opening.test(line))
  return at < 0 || lines.length - at > most ? undefined : lines.slice(at).join('\n')
}
