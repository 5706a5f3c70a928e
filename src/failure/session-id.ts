/**
 * The form of a session id: letters, digits and the separators that CLIs use. It comes from an agent's output and goes
 * into command lines, so it never starts like an option, climbs like a path, or contains shell syntax.
 */
const SESSION_ID = /^[A-Za-z0-9](?:[\w:@+=~-]|\.(?!\.)){0,199}$/

/** Whether a text can be a session id. */
export function isSessionId(text: unknown): text is string {
  return typeof text === 'string' && SESSION_ID.test(text)
}
