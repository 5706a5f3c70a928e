import { readSignatureTables } from '../config/signature-tables.ts'
import { readSignatures } from '../config/signatures.ts'
import { parseDocument } from '../config/toml/document.ts'
import type { Signature } from '../failure/signature.ts'

/**
 * The signatures of a TOML text in both forms, `[[signature]]` and `error_signatures`. Ignores other tables. Throws a
 * `ConfigError` that lists every mistake with its line.
 */
export function signaturesIn(text: string, file: string): Signature[] {
  const document = parseDocument(text, file)
  // Called for its checks: it reports the line of a wrong list.
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

/** How many patterns a TOML text has, and how many characters they have together; without compiling any. */
export function patternsIn(text: string, file: string): { count: number; characters: number } {
  const { value } = parseDocument(text, file)
  const listed = ['provider', 'providers'].flatMap(table =>
    listOf(value[table]).flatMap(each => {
      const of = (each as Partial<Lists> | null)?.error_signatures
      return [...listOf(of?.throttle), ...listOf(of?.flake)]
    }),
  )
  const own = listOf(value.signature).map(each => (each as { pattern?: unknown } | null)?.pattern ?? '')
  const patterns = [...listed, ...own].map(String)
  return { count: patterns.length, characters: patterns.join('').length }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
