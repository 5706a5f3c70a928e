import { trim } from '../text/cut.ts'

/** How many bytes of one body or stream to decode: the head names the tool, the end tells how it ended. */
const MOST_BYTES = 1_048_576
const HEAD = 8_192

/**
 * The text of a Buffer, a typed array or an ArrayBuffer; undefined for anything else. Of a long one, only the head and the
 * end are decoded, so a gigabyte costs no more than a megabyte.
 */
export function bytesAsText(value: unknown, most: number = MOST_BYTES): string | undefined {
  try {
    const bytes = bytesOf(value)
    if (bytes === undefined) return undefined
    if (bytes.length <= most) return decoded(bytes)
    return trim(
      `${decoded(bytes.subarray(0, HEAD))}\n${decoded(bytes.subarray(bytes.length - most + HEAD))}`,
      most,
    )
  } catch {
    return undefined
  }
}

/** True for anything {@link bytesAsText} reads. Such values are never read element by element. */
export function isBytes(value: unknown): boolean {
  try {
    return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || isShared(value)
  } catch {
    return false
  }
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer || isShared(value)) return new Uint8Array(value)
  return undefined
}

function decoded(bytes: Uint8Array): string {
  // Copied, because shared memory cannot be decoded.
  return new TextDecoder().decode(isShared(bytes.buffer) ? bytes.slice() : bytes)
}

/** Browsers define SharedArrayBuffer only in cross-origin isolated pages. */
function isShared(value: unknown): value is SharedArrayBuffer {
  return typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer
}
