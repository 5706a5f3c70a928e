/**
 * Tells a listener of the user. What it throws, at once or later, is its own affair: whoever listens must not be able
 * to break what it listens to, nor the process by a promise that nobody handles.
 */
export function notify<E>(listener: ((event: E) => void) | undefined, event: E): void {
  try {
    handleRejection(listener?.(event))
  } catch {
    // Said above.
  }
}

/** A promise that nobody asked for, such as the answer of an async listener or policy: its rejection is handled. */
export function handleRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}
