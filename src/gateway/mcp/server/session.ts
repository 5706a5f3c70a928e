import { createHash } from 'node:crypto'
import { basename } from 'node:path'

/** The longest name of a session. */
const LONGEST = 200
const LONGEST_PART = 60

/**
 * The session of a client that names none: by who it is and where it works, so that the next process of the same client in
 * the same folder finds the notices of the one before.
 */
export function sessionNameOf(client: string | undefined, workspace: string): string {
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, 8)
  const where = nameOf(basename(workspace)) || 'root'
  return `${nameOf(client ?? '') || 'mcp'}:${where}-${hash}`
}

/** A name without anything that would need quoting. */
function nameOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_PART)
}

/** Whether a text can be the name of a session. */
export function isSessionName(text: string): boolean {
  return text.length <= LONGEST && /^[^\s\x00-\x1f\x7f]+$/.test(text)
}
