import type { MemberAborted, MemberFailure, MemberSuccess } from './council-result.ts'

/** What the summary says about those who took part. */
export interface Participation<T> {
  prompt: string
  successes: readonly MemberSuccess<T>[]
  failures: readonly MemberFailure[]
  aborted: readonly MemberAborted[]
  /** Enough had answered when the others were called off. */
  isQuorum: boolean
  textOf: (value: T) => string
}

/**
 * Who answered, who did not and why, and every answer, as the prompt of an aggregator. How many tries a member
 * took is said only where it was more than one, and aborted members only where there are any: in the common case
 * the text stays the same, and an aggregator that was tuned on it too.
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

/** An answer was paid for: that its text cannot be made must not cost it, nor those of the others. */
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

/** A string as it is, anything else as JSON; what cannot be written as JSON is named by its type. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return `[${typeof value} that cannot be written as text]`
  }
}
