/** One place of a text that was changed: enough to change it back, without a copy of the rest, which may hold secrets. */
export interface Patch {
  /** Where it begins, in characters. */
  at: number
  inserted: string
  removed: string
  /** The part of the client's file that it adds. */
  part?: string
}

/** The one place in which two texts differ. */
export function patchOf(before: string, after: string): Patch {
  const most = Math.min(before.length, after.length)
  let at = 0
  while (at < most && before[at] === after[at]) at++
  let end = 0
  while (end < most - at && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return {
    at,
    inserted: after.slice(at, after.length - end),
    removed: before.slice(at, before.length - end),
  }
}

/** Whether any line of a change may still be there. */
export function isTraceOf(text: string, { inserted }: Patch): boolean {
  return inserted.split('\n').some(line => /\w/.test(line) && text.includes(line.trim()))
}

/** The text without the change; undefined if somebody has changed that place since. */
export function undone(text: string, patch: Patch): string | undefined {
  const at = placeOf(text, patch)
  if (at === undefined) return undefined
  return `${text.slice(0, at)}${patch.removed}${text.slice(at + patch.inserted.length)}`
}

/** Where the change is now: where it was made, or the only place with the same text. */
function placeOf(text: string, { at, inserted }: Patch): number | undefined {
  if (inserted === '') return undefined
  if (text.startsWith(inserted, at)) return at
  const first = text.indexOf(inserted)
  return first === -1 || text.indexOf(inserted, first + 1) !== -1 ? undefined : first
}
