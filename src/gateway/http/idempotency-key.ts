import { Problem } from './problem.ts'
import { LONGEST_KEY } from './submission-schema.ts'

type Header = (name: string) => string | undefined

/**
 * The key from the body or from the Idempotency-Key header, which may be quoted as in the draft standard. Throws a
 * {@link Problem} if both are given and differ.
 */
export function keyOf(key: string | undefined, header: Header): { key?: string } {
  const given = headerKey(header)
  if (given === undefined) return key === undefined ? {} : { key }
  if (given.length > LONGEST_KEY)
    throw new Problem(400, 'invalid', `Idempotency-Key: at most ${LONGEST_KEY} characters`)
  if (key !== undefined && key !== given)
    throw new Problem(400, 'invalid', 'key and Idempotency-Key differ; send only one of them')
  return { key: given }
}

/** Refuses the header where each part of the body has its own key: ignored, it would let a repeated request run twice. */
export function refuseKey(header: Header): void {
  if (headerKey(header) !== undefined)
    throw new Problem(
      400,
      'invalid',
      'Idempotency-Key is for one operation; give each operation of a batch its own key',
    )
}

function headerKey(header: Header): string | undefined {
  return (
    header('idempotency-key')
      ?.trim()
      .replace(/^"(.*)"$/, '$1') || undefined
  )
}
