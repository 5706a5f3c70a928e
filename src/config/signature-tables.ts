import { redact } from '../failure/redact.ts'
import { Checked } from './check.ts'
import { checkSignature } from './check-signature.ts'
import { ConfigError } from './error.ts'
import { mistakesOf } from './issue.ts'
import { TABLES } from './schema/config.ts'
import type { SignatureConfig } from './schema/signature.ts'
import type { Document } from './toml/document.ts'
import { pathText } from './toml/position.ts'

/** The `[[signature]]` tables of a document; ignores everything else in it. Throws {@link ConfigError} with every mistake. */
export function readSignatureTables({ value, places }: Document, file: string): SignatureConfig[] {
  const written = { signature: value.signature, provider: value.provider }
  const parsed = TABLES.signature.safeParse(value.signature)
  const checked = new Checked(written)
  for (const { entry, path } of checked.entries('signature')) checkSignature(checked, entry, path)
  const mistakes = [
    ...(parsed.success ? [] : mistakesOf(parsed.error, written, ['signature'])),
    ...checked.mistakes,
  ]
  if (parsed.success && mistakes.length === 0) return parsed.data
  const problems = mistakes.map(({ path, message }) => ({
    file,
    ...places.placeOf(path),
    path: redact(pathText(path)),
    message: redact(message),
  }))
  throw new ConfigError(
    file,
    problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  )
}
