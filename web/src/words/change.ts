/** The page of what was changed; undefined if it has none of its own. */
export function pageOfChange(action: string, subject: string): string | undefined {
  if (/^op_\w+$/.test(subject)) return `/operations/${subject}`
  const [run] = /^wf_\d+(?= |$)/.exec(subject) ?? []
  if (run !== undefined) return `/workflows/${run}`
  if (/^fp\d+:\S+$/.test(subject)) return `/unknowns/${encodeURIComponent(subject)}`
  return /^\S+$/.test(subject) && /provider/i.test(action)
    ? `/providers/${encodeURIComponent(subject)}`
    : undefined
}
