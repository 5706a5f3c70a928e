import type { Signature } from '../failure/signature.ts'
import { readPack } from './pack.ts'
import { signaturesIn } from './signatures-in.ts'

/** Signatures as somebody wrote them. Reading them compiles every pattern. */
export type WrittenSignatures =
  | { form: 'list'; signatures: readonly Signature[] }
  | { form: 'config'; text: string; file: string }
  | { form: 'pack'; text: string; file: string; allow: boolean }

/** Signatures that were read; those of a pack say why. */
export type ReadSignatures = readonly (Signature & { why?: string | undefined })[]

/** Reads signatures. Throws a `ConfigError` that lists every mistake. */
export function readWritten(written: WrittenSignatures): ReadSignatures {
  if (written.form === 'list') return written.signatures
  const { text, file } = written
  return written.form === 'pack' ? readPack(text, file, { allow: written.allow }) : signaturesIn(text, file)
}
