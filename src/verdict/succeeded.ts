/** An answer in place of a verdict: the work succeeded after all. The value is the result, as if the work had returned it. */
export interface Succeeded {
  /** The result; may be undefined. */
  succeeded: unknown
  /** Why it counts as a success, for people. */
  reason: string
  /** The policy or hook that answered. Filled in by the code that asked it. */
  by?: string
}

/** True for an answer that means success. */
export function isSucceeded(answer: unknown): answer is Succeeded {
  return typeof answer === 'object' && answer !== null && 'succeeded' in answer && !('action' in answer)
}

/** What is wrong with an answer that means success; undefined if it is valid. */
export function problemOfSucceeded({ succeeded, reason }: Succeeded): string | undefined {
  if (typeof reason !== 'string' || reason === '') return 'a success needs a reason'
  if (typeof succeeded === 'function') return 'a function cannot be a result'
  return typeof (succeeded as { then?: unknown } | null | undefined)?.then === 'function'
    ? 'a promise cannot be a result'
    : undefined
}
