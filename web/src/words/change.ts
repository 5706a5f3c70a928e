/** What was done, in words: `retryOperation` is "retry operation". */
export function changeInWords(action: string): string {
  return action.replaceAll(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}

/** The page of what was changed; undefined if it has none of its own. */
export function pageOfChange(action: string, subject: string): string | undefined {
  if (/^op_\w+$/.test(subject)) return `/operations/${subject}`
  if (/^fp\d+:\S+$/.test(subject)) return `/unknowns/${encodeURIComponent(subject)}`
  return /^\S+$/.test(subject) && /provider/i.test(action)
    ? `/providers/${encodeURIComponent(subject)}`
    : undefined
}
