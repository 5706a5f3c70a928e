import { QueueError } from './error.ts'

/** Limit of an operation's parameters, in bytes of JSON: 1 MiB. */
export const MAX_PARAMS_DEFAULT_BYTES = 1_048_576
/** Largest result stored whole, in bytes of JSON: 16 MiB. */
export const MAX_RESULT_DEFAULT_BYTES = 16_777_216

/** Throws a {@link QueueError} if this JSON text is too large to store with one operation of the capability. */
export function checkSize(
  what: 'the parameters' | 'the context',
  capability: string,
  text: string | undefined,
  limitBytes: number,
): void {
  // No character takes more than 3 bytes, so most texts need not be measured.
  if (text === undefined || text.length * 3 <= limitBytes) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= limitBytes) return
  throw new QueueError(
    'too_large',
    `${what} of an operation of ${JSON.stringify(capability)} take ${bytes} bytes; the limit is ${limitBytes}: put large data into a file and pass its path, or raise maxParamsBytes ([queue] max_params_bytes)`,
  )
}

/** A value as JSON text; undefined if not JSON, which is refused elsewhere. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
