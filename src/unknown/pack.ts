import { stringify } from 'smol-toml'
import { ConfigError } from '../config/error.ts'
import type { SignatureConfig } from '../config/schema/signature.ts'
import { readSignatureTables } from '../config/signature-tables.ts'
import { parseDocument } from '../config/toml/document.ts'
import { present } from '../failure/present.ts'
import { isRedacted, redact } from '../failure/redact.ts'
import type { Label } from '../ledger/label.ts'
import { formatDuration } from '../time/duration.ts'
import { timeToJson } from '../time/time-json.ts'

// Limits on packs from strangers, well above what any team needs.
const LARGEST_PACK = 1_048_576
const MOST_SIGNATURES = 1_000
const LONGEST_PATTERN = 1_000
/** Longer waits need `allow`: a stranger's pack could otherwise put a provider to sleep. */
const LONGEST_WAIT_MS = 86_400_000

/** Labels as a signature pack: TOML for a config or for `unknowns import`. */
export function packOf(labels: readonly Label[]): string {
  const signature = labels.map(label => {
    const {
      fingerprint,
      signature: pattern,
      provider,
      class: cls,
      kind,
      effect,
      retryAfterMs,
      why,
      who,
    } = label
    const isReal = /^fp\d:[0-9a-f]{16}$/.test(fingerprint)
    return {
      ...(pattern === undefined ? {} : { pattern: redact(pattern) }),
      ...(isReal ? { fingerprint } : {}),
      ...present({ provider }),
      class: cls,
      ...present({ kind, effect }),
      ...(retryAfterMs === undefined ? {} : { retry_after: formatDuration(retryAfterMs) }),
      ...(why === undefined ? {} : { why: redact(why) }),
      by: redact(who),
      at: timeToJson(label.at),
    }
  })
  const head = '# A Mulligan signature pack. To import it: mulligan unknowns import FILE\n\n'
  return signature.length === 0 ? head : `${head}${stringify({ signature })}\n`
}

/**
 * Reads a signature pack, which may come from a stranger. Throws a {@link ConfigError} that lists every mistake with its
 * line; an effect of `none` and a wait over one day count as mistakes unless `allow` is given.
 */
export function readPack(text: string, file: string, { allow = false } = {}): SignatureConfig[] {
  if (text.length > LARGEST_PACK) throw new ConfigError(file, 'is larger than 1 MiB; split it')
  const document = parseDocument(text, file)
  const other = Object.keys(document.value).find(key => key !== 'signature')
  if (other !== undefined)
    throw new ConfigError(
      file,
      `contains ${JSON.stringify(other)}; a signature pack may contain only [[signature]] tables`,
    )
  const written = document.value.signature
  if (Array.isArray(written) && written.length > MOST_SIGNATURES)
    throw new ConfigError(
      file,
      `contains ${written.length} signatures; at most ${MOST_SIGNATURES} are allowed`,
    )
  const signatures = written === undefined ? [] : readSignatureTables(document, file)
  const problems = signatures.flatMap((signature, index) =>
    problemsOf(signature, allow).map(({ key, message }) => ({
      file,
      ...document.places.placeOf(['signature', index, key]),
      path: `signature[${index}].${key}`,
      message: `signature[${index}]: ${message}`,
    })),
  )
  if (problems.length > 0) throw new ConfigError(file, problems)
  return signatures
}

function problemsOf(signature: SignatureConfig, allow: boolean): { key: string; message: string }[] {
  const { pattern = '', why = '', by = '', effect, retryAfterMs = 0 } = signature
  const secret = Object.entries({ pattern, why, by }).find(([, text]) => !isRedacted(text))
  return [
    ...(secret ? [{ key: secret[0], message: `"${secret[0]}" seems to contain a secret; remove it` }] : []),
    ...(pattern.length > LONGEST_PATTERN
      ? [{ key: 'pattern', message: `"pattern" is longer than ${LONGEST_PATTERN} characters` }]
      : []),
    ...(effect === 'none' && !allow
      ? [
          {
            key: 'effect',
            message: 'claims that failed tries had no effect; if you are sure, pass --allow',
          },
        ]
      : []),
    ...(retryAfterMs > LONGEST_WAIT_MS && !allow
      ? [{ key: 'retry_after', message: 'waits longer than 24h; if that is intended, pass --allow' }]
      : []),
  ]
}
