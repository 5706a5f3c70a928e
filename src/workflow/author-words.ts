/** Ways to act that name nobody. */
const WAYS: Readonly<Record<string, string>> = { http: 'over HTTP', dashboard: 'in the dashboard' }

/** Who started or changed a run, at the end of a sentence: `by anna`, or `over HTTP` for a program without a name. */
export function authorInWords(by: string): string {
  return WAYS[by] ?? `by ${by}`
}
