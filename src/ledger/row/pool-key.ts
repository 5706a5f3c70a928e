import { LedgerError } from '../error.ts'
import { readJson } from './rows.ts'

const NO_PROVIDERS: readonly string[] = Object.freeze([])

/** PostgreSQL's index takes rows of up to 2,704 bytes, which also hold the capability. */
const MOST_BYTES = 2_000

/**
 * The providers of an operation in one column, for the due index: empty for none, the name of a single one, several as JSON. All
 * operations with the same providers are together there, so a claim skips those of closed ones at once. Throws a
 * {@link LedgerError} if the names are too long for an index.
 */
export function poolKey(providers: readonly string[]): string {
  const [only = ''] = providers
  const key = providers.length < 2 && !only.startsWith('[') ? only : JSON.stringify(providers)
  // Counted only where it may matter: a character takes at most three bytes.
  const bytes = key.length * 3 > MOST_BYTES ? Buffer.byteLength(key) : 0
  if (bytes > MOST_BYTES)
    throw new LedgerError(
      'invalid',
      `the names of the ${providers.length} providers of an operation take ${bytes} bytes; at most ${MOST_BYTES} can be stored, so name fewer`,
    )
  return key
}

/** The providers that can serve an operation, the preferred one first. */
export function providersIn(key: string): readonly string[] {
  if (key.startsWith('[')) return readJson<string[]>(key) ?? NO_PROVIDERS
  return key === '' ? NO_PROVIDERS : [key]
}
