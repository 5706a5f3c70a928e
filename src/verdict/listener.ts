/**
 * Calls a user's listener. Ignores what it throws, now or later: a listener must not break what it listens to, nor end the
 * process by an unhandled rejection.
 */
export function notify<E>(listener: ((event: E) => void) | undefined, event: E): void {
  try {
    handleRejection(listener?.(event))
  } catch {
    // See above.
  }
}

/** Handles the rejection of a promise that was not asked for, such as the answer of an async listener or policy. */
export function handleRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}
