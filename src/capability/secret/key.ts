import { createHash, hkdfSync } from 'node:crypto'

/** The variable with the key for secrets, if it is not in a file. Several keys are separated by commas. */
export { SECRET_KEY_VARIABLE } from '../../process/environment.ts'

/** Length of a key. */
export const KEY_BYTES = 32

/** A key for secrets, and what is derived from it. */
export interface Key {
  /** Identifies the key of an envelope; reveals nothing about the key itself. */
  id: string
  encryption: Buffer
  nonces: Buffer
}

/** Parses a key of 32 bytes in base64, base64url or hex; undefined if it is invalid. */
export function keyOf(text: string): Key | undefined {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (bytes.length !== KEY_BYTES || !/^[\w+/=-]+$/.test(text)) return undefined
  return {
    id: createHash('sha256').update(derived(bytes, 'id')).digest('hex').slice(0, 12),
    encryption: derived(bytes, 'encryption'),
    nonces: derived(bytes, 'nonces'),
  }
}

function derived(bytes: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, '', `mulligan secret v1 ${purpose}`, KEY_BYTES))
}
