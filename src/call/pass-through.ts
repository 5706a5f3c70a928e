/**
 * What frameworks throw as control flow, not because something failed: an agent graph that waits for a person, a redirect, a
 * missing page, a component that is not ready, a workflow put to sleep. Names of errors, or the beginning of their `digest`,
 * `code` or message.
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

/** Which errors are not failures: those a function returns true for, or those with these names. */
export type PassThrough = ((error: unknown) => boolean) | readonly string[]

/**
 * True for an error that goes to the caller unchanged. By default control flow: the names in {@link CONTROL_FLOW}, and the
 * promises that React throws.
 */
export function passesThrough(error: unknown, given: PassThrough | undefined): boolean {
  if (error === null || (typeof error !== 'object' && typeof error !== 'function')) return false
  try {
    if (typeof given === 'function') return given(error) === true
    return namesOf(error).some(name => (given ?? CONTROL_FLOW).includes(name)) || (!given && isAwaited(error))
  } catch {
    // An error that cannot be inspected, or a user function that throws: treated as a failure.
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
