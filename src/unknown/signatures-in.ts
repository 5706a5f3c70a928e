import { readSignatureTables } from '../config/signature-tables.ts'
import { readSignatures } from '../config/signatures.ts'
import { parseDocument } from '../config/toml/document.ts'
import type { Signature } from '../failure/signature.ts'

/**
 * The signatures of a TOML text in both forms, `[[signature]]` and `error_signatures`; other tables may be there as well.
 * Throws a `ConfigError` with every mistake and its place.
 */
export function signaturesIn(text: string, file: string): Signature[] {
  const document = parseDocument(text, file)
  // Checks the lists, and names the place of one that is wrong.
  readSignatures(text, file)
  const providers = ['provider', 'providers'].flatMap(table => (document.value[table] ?? []) as Lists[])
  const lists = providers.flatMap(({ id, error_signatures: of }) => [
    ...(of?.throttle ?? []).map(pattern => ({ provider: id, pattern, class: 'throttle' as const })),
    ...(of?.flake ?? []).map(pattern => ({ provider: id, pattern, class: 'transient' as const })),
  ])
  return [...lists, ...(document.value.signature === undefined ? [] : readSignatureTables(document, file))]
}

interface Lists {
  id: string
  error_signatures?: { throttle?: string[]; flake?: string[] }
}
