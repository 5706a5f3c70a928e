import type { Agent } from './agent.ts'
import { endFrom } from './transcript.ts'

/**
 * Failures that look like success: the run ends well by its exit code or its last event, and what stands in
 * place of an answer is the reason why there is none.
 */

/** No stop notice is longer. */
export const LONGEST_NOTICE = 400

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
  /^\[API Error: [\s\S]*\]/,
  /^(?:Error: )?(?:Reached max(?:imum number of)? turns|Exceeded USD budget|Reached maximum budget) \(/,
  /^Ran into this error(?: trying to compact)?: /,
  /^Network error: [\s\S]*Please resend your message/,
  /^Please add credits to your account/,
  /^I(?:'|’)ve reached the maximum number of actions I can do without user input/,
  /^The model (?:response was blocked due to|returned an empty response with no text)/,
  /^Model response was truncated because it exceeded the token limit/,
  /^Out of Credits\s+Add credits/,
  /^(?:Request failed|Credits exhausted|Rate limit exceeded|Authentication error|Context length exceeded|Server error|Execution error): /,
]

/** True for an answer that consists of a stop notice. */
export function isStopNotice(answer: string): boolean {
  const text = answer.trim()
  return text.length <= LONGEST_NOTICE && NOTICES.some(notice => notice.test(text))
}

/** What may stand before the words that name the cause: a subject, an error's name, nothing that was done. */
const LEAD_WORDS = new Set(
  `the this your you've you're youve youre you have has been is was are a an api task run agent request session
   conversation execution call account error exception warning fatal incomplete failed aborted stopped stopping
   terminated ended rejected refused because due to by after sorry we it cannot can't could not unable continue
   claude code ai codex gemini model provider`.split(/\s+/),
)
/** How the sentence may go on: not with "error is gone". */
const REST =
  /^(?:$|[^\w\s]|(?:for|of|on|to|in|at|until|because|with|your|the|this|reached|exceeded|please|try|and|by|from|used|limit)\b)/i
/** Nobody who gives up speaks of these. */
const WORK_TALK =
  /\b(?:I|I['’]ve|I['’]ll|now|fixed|added|updated|changed|removed|handled?|handling|implemented|refactored|done|tests?|function|bug|should|would|when|if)\b|`|\.(?:[jt]sx?|py|go|rs|md|rb|java)\b/i

/** True where a text is one short sentence about the cause that stands in it from `at` to `end`. */
export function isBareNotice(text: string, at: number, end: number): boolean {
  if (text.trim().length > LONGEST_NOTICE || WORK_TALK.test(text)) return false
  const lead =
    text
      .slice(0, at)
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\w']+/g) ?? []
  return lead.length <= 8 && lead.every(word => LEAD_WORDS.has(word)) && REST.test(text.slice(end).trim())
}

/** How the last words begin of those who exit 0 after a failure. */
const LAST_WORDS: Partial<Record<Agent, RegExp>> = {
  goose:
    /^(?:Ran into this error(?: trying to compact)?: |Network error: |Request failed: |Credits exhausted: |Please add credits to your account|I(?:'|’)ve reached the maximum number of actions|The error above was an exception)/,
  aider:
    /^(?:litellm\.\w+:(?:\s|$)|Model \S+ has hit a token limit!|Only \d+ reflections allowed|Insufficient credits with)/,
  openhands: /^(?:Conversation run failed for id=|\W*Conversation Error\b)/,
  'swe-agent': /\bexit_[a-z_]+\b|\bExit(?:ing)? due to /,
  gemini:
    /^(?:\[API Error: |The model (?:response was blocked|returned an empty)|Model response was truncated|Loop detected)/,
  qwen: /^(?:\[API Error: |Loop detected|Run aborted: )/,
  plandex: /^🚨 /,
  roo: /^\[(?:api request failed|CLI)\]/i,
  crush: /^ERROR\s*$/,
}

/** The same for those who do so on stderr alone. */
const LAST_COMPLAINTS: Partial<Record<Agent, RegExp>> = {
  amp: /^Error: /,
  copilot: /^(?:Error: |Execution failed: )/,
  opencode: /^(?:Error: |! permission requested: .*auto-rejecting)/,
}

/** The last words of a run that exited 0, if they tell of a failure: from where they begin to the end. */
export function lastWords(text: string, agent: Agent | undefined): string | undefined {
  const opening = agent === undefined ? undefined : LAST_WORDS[agent]
  return (opening && endFrom(text, opening)) ?? givenUp(text)
}

const GAVE_UP = [
  /\b(?:stopped|stopping|reached|exceeded|failed to complete|incomplete)\b.{0,40}\bmax(?:imum)?\b.{0,20}\b(?:steps|iterations|turns)\b/i,
  /\bmax(?:imum)?\b.{0,20}\b(?:steps|iterations|turns)\b.{0,12}\b(?:reached|exceeded)\b/i,
  /\bAgent stopped due to (?:max )?iteration/i,
]

/** A short last line with which agents of every kind say that their own limit stopped them. */
function givenUp(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line.length <= 120 && !WORK_TALK.test(line) && GAVE_UP.some(form => form.test(line))
    ? line
    : undefined
}

/** The same on stderr; a program that gave no answer at all need not be known. */
export function lastComplaint(text: string, agent: Agent | undefined, isSilent: boolean): string | undefined {
  const opening =
    (agent === undefined ? undefined : LAST_COMPLAINTS[agent]) ??
    (isSilent ? /^(?:error|fatal(?: error)?|exception)\b[: ]/i : undefined)
  return opening && endFrom(text, opening)
}
