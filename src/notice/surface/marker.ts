import type { Message } from '../message.ts'

/** The text that identifies a message at a surface; a verification searches for it. */
export function markerOf({ id }: Pick<Message, 'id'>): string {
  return `mulligan:${id}`
}

/** The text that identifies the unknown failure of an issue. */
export function unknownMarkerOf(fingerprint: string): string {
  return `mulligan:unknown:${fingerprint}`
}
