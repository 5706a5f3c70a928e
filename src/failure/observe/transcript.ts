import type { Agent } from './agent.ts'

/**
 * What agents print for people while they work: the task, the answer, tools and their output. All of it may
 * quote anything, so only its end can tell why a run failed.
 */

/** The print of an error as an object, which the event about it leaves most fields of out. */
const REPORT: Partial<Record<Agent, RegExp>> = {
  gemini: /^Error when talking to \w+ API\b/,
  qwen: /^Error when talking to \w+ API\b/,
}

const LONGEST_REPORT = 60

/** The last report of an error at the end of a text, undefined where the agent prints none. */
export function errorReport(text: string, agent: Agent | undefined): string | undefined {
  const opening = agent === undefined ? undefined : REPORT[agent]
  return opening && endFrom(text, opening, LONGEST_REPORT)
}

/** How the final error begins. */
const FINAL_ERROR: Partial<Record<Agent, RegExp>> = {
  codex: /^(?:ERROR|Error|error): /,
  opencode: /^Error: /,
  kimi: /^error: failed to run prompt: /,
  crush: /^ERROR\s*$/,
  aider: /^litellm\.\w+:(?:\s|$)/,
  goose: /^Ran into this error/,
  openhands: /^Conversation run failed for id=/,
}

const LONGEST_ERROR = 40

/** The final error at the end of a transcript, undefined where the agent marks none. */
export function finalError(text: string, agent: Agent | undefined): string | undefined {
  const opening = agent === undefined ? undefined : FINAL_ERROR[agent]
  return opening && endFrom(text, opening, LONGEST_ERROR)
}

/** How a transcript begins. */
const HEAD = /^(?:OpenAI Codex v\d|> \w+ · \S+$|starting session \| provider: |Aider v\d)/m
const CLOSING_LINES = 6

/** The part of a text that can tell why a program ended, where it marks no final error itself. */
export function closingLines(text: string, isKilled: boolean): string {
  if (!HEAD.test(text)) return text
  return isKilled ? '' : text.trimEnd().split('\n').slice(-CLOSING_LINES).join('\n')
}

/** Lines about a tool that ran or a file that changed. */
const WORK: Partial<Record<Agent, RegExp>> = {
  codex: /^(?:exec|codex|apply_patch|file update:?|apply patch)$/m,
  opencode: /^(?:\| {2}\w+|[→←✱⚙◇$] ?\S)/m,
  aider: /^(?:Applied edit to |Commit [0-9a-f]{7})/m,
  goose: /^─── \S+ \| \S+/m,
}

/** True where a transcript shows that the agent had begun to work. */
export function showsWork(text: string, agent: Agent | undefined): boolean {
  const work = agent === undefined ? undefined : WORK[agent]
  return work?.test(text) ?? false
}

/** Marks and the remains of a box before the first word. */
const ORNAMENT = /^(?:(?![[!]|🚨)\W)+/u

/** From the last line that begins in such a way to the end, unless that is more than so many lines. */
export function endFrom(text: string, opening: RegExp, most = 8): string | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const at = lines.findLastIndex(line => opening.test(line.replace(ORNAMENT, '')))
  return at < 0 || lines.length - at > most ? undefined : lines.slice(at).join('\n')
}
