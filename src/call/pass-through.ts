/**
 * What frameworks throw to steer, not because something failed: an agent's graph that waits for a person, a redirect,
 * a page that is not there, a component that is not ready, a workflow that is put to sleep. Names of errors, or what
 * their `digest`, `code` or message begins with.
 */
export const CONTROL_FLOW: readonly string[] = [
  // LangGraph
  'GraphInterrupt',
  'NodeInterrupt',
  'GraphBubbleUp',
  'ParentCommand',
  // Next.js and React
  'NEXT_REDIRECT',
  'NEXT_NOT_FOUND',
  'NEXT_HTTP_ERROR_FALLBACK',
  'BAILOUT_TO_CLIENT_SIDE_RENDERING',
  'DYNAMIC_SERVER_USAGE',
  'HANGING_PROMISE_REJECTION',
  // Durable engines
  'ContinueAsNew',
  'WorkflowSuspension',
]

/** Which errors are no failures: those a function says yes to, or those of these names. */
export type PassThrough = ((error: unknown) => boolean) | readonly string[]

/**
 * True for an error that goes to the caller as it is. By default control flow: the names of {@link CONTROL_FLOW}, and
 * what React throws to wait for, a promise.
 */
export function passesThrough(error: unknown, given: PassThrough | undefined): boolean {
  if (error === null || (typeof error !== 'object' && typeof error !== 'function')) return false
  try {
    if (typeof given === 'function') return given(error) === true
    return namesOf(error).some(name => (given ?? CONTROL_FLOW).includes(name)) || (!given && isAwaited(error))
  } catch {
    // What cannot be looked at, or a function of the user's that throws: then it is a failure like others.
    return false
  }
}

/** `NEXT_REDIRECT;replace;/login;307;` is a redirect. */
function namesOf(error: object): string[] {
  const { name, code, digest, message } = error as Record<string, unknown>
  const ofClass = (error as { constructor?: { name?: unknown } }).constructor?.name
  return [name, code, ofClass, headOf(digest), message].filter(text => typeof text === 'string')
}

function headOf(digest: unknown): unknown {
  return typeof digest === 'string' ? digest.split(';', 1)[0] : undefined
}

function isAwaited(error: object): boolean {
  if (error instanceof Error) return false
  const { then, $$typeof } = error as { then?: unknown; $$typeof?: unknown }
  return typeof then === 'function' || $$typeof === Symbol.for('react.postpone')
}
