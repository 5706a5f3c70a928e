/** What stands for JSON that cannot be read: damaged on the disk, or written by something else. */
export const UNREADABLE = '[unreadable]'

/** Stored JSON as a value. One damaged row must not keep a list from being read, so this never throws. */
export function storedJson(text: string): unknown {
  return readJson(text) ?? (text === 'null' ? null : UNREADABLE)
}

/** The same for what a row can do without; undefined if it cannot be read. */
export function readJson<T>(text: string | null): T | undefined {
  if (text === null) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}
