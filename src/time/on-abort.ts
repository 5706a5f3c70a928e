/**
 * Calls back once if the signal is aborted, at once if it is already. Returns a function that ends the listening. Node keeps
 * listeners that are objects, and all that they refer to, much longer than functions.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act()
    return NOTHING
  }
  signal.addEventListener('abort', act)
  return () => signal.removeEventListener('abort', act)
}

const NOTHING = () => {}
