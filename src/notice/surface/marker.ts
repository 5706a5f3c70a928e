import type { Message } from '../message.ts'

/** What a verification looks for in a text, to tell whether a message is there. */
export function markerOf({ id }: Pick<Message, 'id'>): string {
  return `mulligan:${id}`
}

/** What names the unknown failure that an issue is about. */
export function unknownMarkerOf(fingerprint: string): string {
  return `mulligan:unknown:${fingerprint}`
}
