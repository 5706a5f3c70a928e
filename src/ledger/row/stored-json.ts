/** Replaces JSON that cannot be read: damaged on disk, or written by another program. */
export const UNREADABLE = '[unreadable]'

/** Parses stored JSON. Never throws, so that one damaged row does not make a list unreadable. */
export function storedJson(text: string): unknown {
  return readJson(text) ?? (text === 'null' ? null : UNREADABLE)
}

/** Parses stored JSON that a row can do without; undefined if it cannot be read. */
export function readJson<T>(text: string | null): T | undefined {
  if (text === null) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}
