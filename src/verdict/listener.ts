/**
 * Calls a listener of the user. What it throws, now or later, is ignored: a listener must not be able to break what it
 * listens to, nor end the process by a promise that is never handled.
 */
export function notify<E>(listener: ((event: E) => void) | undefined, event: E): void {
  try {
    handleRejection(listener?.(event))
  } catch {
    // As said above.
  }
}

/** Handles the rejection of a promise that was not asked for, such as the answer of an async listener or policy. */
export function handleRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}
