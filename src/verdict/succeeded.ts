/**
 * An answer in place of a verdict: there is nothing to do about it, because it has succeeded after all. The value is
 * the result, as if the work had returned it.
 */
export interface Succeeded {
  /** The result; undefined is one too. */
  succeeded: unknown
  /** For people: why it counts as a success. */
  reason: string
  /** The policy or hook that said so. Filled in by the caller of it. */
  by?: string
}

/** True for an answer that means success. */
export function isSucceeded(answer: unknown): answer is Succeeded {
  return typeof answer === 'object' && answer !== null && 'succeeded' in answer && !('action' in answer)
}

/** What is wrong with an answer that means success; undefined if nothing. */
export function problemOfSucceeded({ succeeded, reason }: Succeeded): string | undefined {
  if (typeof reason !== 'string' || reason === '') return 'a success needs a reason'
  if (typeof succeeded === 'function') return 'a function is no result'
  return typeof (succeeded as { then?: unknown } | null | undefined)?.then === 'function'
    ? 'a promise is no result'
    : undefined
}
