import type { MemberAborted, MemberFailure, MemberSuccess } from './council-result.ts'

/** What the summary is made from. */
export interface Participation<T> {
  prompt: string
  successes: readonly MemberSuccess<T>[]
  failures: readonly MemberFailure[]
  aborted: readonly MemberAborted[]
  /** True if enough members had answered when the others were cancelled. */
  isQuorum: boolean
  textOf: (value: T) => string
}

/**
 * The prompt for an aggregator: who answered, who did not and why, and every answer. Mentions a member's number of tries only
 * if it was more than one, and aborted members only if there are any. So the text of the common case stays the same, and so does
 * an aggregator tuned on it.
 */
export function participationSummary<T>({
  prompt,
  successes,
  failures,
  aborted,
  isQuorum,
  textOf,
}: Participation<T>): string {
  const abortedList = aborted.map(({ member }) => `- ${member}`).join('\n')
  const abortedTitle = isQuorum ? 'Aborted (quorum reached)' : 'Aborted'
  const parts = [
    `# Original review prompt\n\n${prompt}`,
    [
      '# Participation',
      '',
      'Responded:',
      ...successes.map(({ member, attempts }) => `- ${member}${tries(attempts)}`),
      '',
      'Failed or timed out:',
      ...(failures.length === 0 ? ['- none'] : failures.map(inOneLine)),
      ...(aborted.length === 0 ? [] : ['', `${abortedTitle}:`, abortedList]),
    ].join('\n'),
    successes
      .map(({ member, value }, index) => `## Reviewer ${index + 1}: ${member}\n\n${textWith(textOf, value)}`)
      .join('\n\n---\n\n'),
    ...(aborted.length === 0 ? [] : [`## ${abortedTitle}\n\n${abortedList}`]),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

/** If an answer's text cannot be made, that must not lose the paid answers. */
function textWith<T>(textOf: (value: T) => string, value: T): string {
  try {
    return textOf(value)
  } catch {
    return textOfValue(value)
  }
}

function inOneLine({ member, reason, attempts }: MemberFailure): string {
  return `- ${member}: ${reason || 'failed'}${tries(attempts)}`
}

function tries(attempts: number): string {
  return attempts > 1 ? ` (${attempts} attempts)` : ''
}

/** A string unchanged, anything else as JSON; what JSON cannot express is named by its type. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return `[${typeof value} that cannot be written as text]`
  }
}
