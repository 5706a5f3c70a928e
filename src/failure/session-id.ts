/**
 * What a session id may look like: letters, digits and the signs between them that CLIs use. It comes from the output
 * of an agent and goes into command lines, so it never begins like an option, climbs like a path, or says anything to
 * a shell.
 */
const SESSION_ID = /^[A-Za-z0-9](?:[\w:@+=~-]|\.(?!\.)){0,199}$/

/** Whether a text can be the id of a session. */
export function isSessionId(text: unknown): text is string {
  return typeof text === 'string' && SESSION_ID.test(text)
}
