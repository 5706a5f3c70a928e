/** Output in the shapes that agent CLIs print, for examples of rules. */

export const printed = (stderr: string, exitCode = 1) => ({ exitCode, signal: null, stdout: '', stderr })

export const answered = (stdout: string, exitCode = 1) => ({ exitCode, signal: null, stdout, stderr: '' })

export const lines = (...events: object[]) => answered(events.map(event => JSON.stringify(event)).join('\n'))

/** The last line of Claude Code and of CLIs with the same stream. */
export const result = (fields: object) =>
  lines({ type: 'result', is_error: true, session_id: 's-1', num_turns: 1, ...fields })
