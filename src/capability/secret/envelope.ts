import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Key } from './key.ts'

/** Replaces a secret in stored parameters. */
export interface Envelope {
  /** Version, key id, and nonce, ciphertext and tag in base64url, joined by colons. */
  $secret: string
}

const FORMAT = /^v1:([0-9a-f]{12}):([\w-]+)$/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Where a secret belongs. It cannot be opened anywhere else, so copying it into another call does not reveal it. */
export interface SecretOwner {
  capability: string
  param: string
}

/** True for anything that claims to be an envelope, even a damaged one: it must never be shown or run with. */
export function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$secret')
}

/** Id of the key that an envelope was made with; undefined if it is damaged. */
export function keyIdOf({ $secret }: Envelope): string | undefined {
  return typeof $secret === 'string' ? FORMAT.exec($secret)?.[1] : undefined
}

/**
 * Encrypts a value with AES-256-GCM. The nonce is a keyed hash of value and place: the same secret for the same parameter gives
 * the same envelope, so an operation submitted twice under one key is recognised, and no nonce is used for two texts.
 */
export function seal(value: unknown, place: SecretOwner, key: Key): Envelope {
  const text = Buffer.from(JSON.stringify(value))
  const context = contextOf(place)
  const nonce = createHmac('sha256', key.nonces)
    .update(`${context.length}:`)
    .update(context)
    .update(text)
    .digest()
    .subarray(0, NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.encryption, nonce)
  cipher.setAAD(context)
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return { $secret: `v1:${key.id}:${sealed.toString('base64url')}` }
}

/** The value in an envelope; undefined if it was changed, belongs elsewhere, or was made with another key. */
export function unseal(envelope: Envelope, place: SecretOwner, key: Key): { value: unknown } | undefined {
  const sealed = Buffer.from(FORMAT.exec(String(envelope.$secret))?.[2] ?? '', 'base64url')
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key.encryption, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(contextOf(place))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return { value: JSON.parse(text.toString('utf8')) as unknown }
  } catch {
    return undefined
  }
}

function contextOf({ capability, param }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([capability, param]))
}
