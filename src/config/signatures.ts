import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SignatureLists, Signatures } from '../failure/signature.ts'
import { SignatureCompileError } from '../failure/signature-error.ts'
import { AllSignatures, buildSignatureMap, type SignatureMap } from '../failure/signature-map.ts'
import { nearest } from '../option/nearest.ts'
import { ConfigError } from './error.ts'
import { parseToml } from './toml/document.ts'

interface ProviderSignatures {
  id: string
  error_signatures: SignatureLists
}

/**
 * Reads only the signatures of a config file. Throws {@link ConfigError} with file, place and remedy.
 * @param isTrusted whether a file with this SHA-256 may state more than the class; default always
 */
export async function loadSignatures(
  file: string,
  isTrusted: (sha256: string) => boolean = () => true,
): Promise<SignatureMap> {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new ConfigError(file, `cannot be read: ${(error as Error).message}`, { cause: error })
  }
  const text = bytes.toString('utf8')
  const lists = readSignatures(text, file)
  if (!/^\s*(?:\[\[\s*)?["']?signature\b/m.test(text)) return lists
  // The code that checks tables is large, so it is loaded only if there are any.
  const { readSignatureTables } = await import('./signature-tables.ts')
  const { classAlone } = await import('./loaded.ts')
  const { parseDocument } = await import('./toml/document.ts')
  const document = parseDocument(text, file)
  const signatures = readSignatureTables(document, file)
  const mayActOn = signatures.length > 0 && isTrusted(createHash('sha256').update(bytes).digest('hex'))
  return new AllSignatures({
    lists: new Map(
      providersOf(document.value, file).map(({ id, error_signatures }) => [id, error_signatures]),
    ),
    signatures: mayActOn ? signatures : signatures.map(classAlone),
  })
}

/** The signature lists in the text of a config: of `[[provider]]`, and of the older `[[providers]]`. */
export function readSignatures(text: string, file: string): Map<string, Signatures> {
  const providers = providersOf(parseToml(text, file), file)
  try {
    return buildSignatureMap(providers)
  } catch (error) {
    if (!(error instanceof SignatureCompileError)) throw error
    throw new ConfigError(placeOf(text, file, error), error.message, { cause: error })
  }
}

/** The file, and the line of the pattern, if the pattern appears on one literally. */
function placeOf(text: string, file: string, { provider, pattern }: SignatureCompileError): string {
  const lines = text.split('\n')
  const escaped = pattern.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  const has = (line: string) => line.includes(`"${escaped}"`) || line.includes(`'${pattern}'`)
  const from = lines.findIndex(line => line.includes(`"${provider}"`) || line.includes(`'${provider}'`))
  const below = lines.findIndex((line, index) => index >= from && has(line))
  const at = below >= 0 ? below : lines.findIndex(has)
  return at < 0 ? file : `${file}:${at + 1}`
}

function providersOf(config: Record<string, unknown>, file: string): ProviderSignatures[] {
  const seen = new Set<string>()
  return ['provider', 'providers'].flatMap(table => {
    const entries = config[table]
    if (entries === undefined) return []
    if (!Array.isArray(entries))
      throw new ConfigError(file, `"${table}" must be an array of tables, written as [[${table}]]`)
    return entries.map((entry, index) => {
      const provider = providerOf(entry, `${table}[${index}]`, file)
      if (seen.has(provider.id))
        throw new ConfigError(file, `provider ${JSON.stringify(provider.id)} is defined twice`)
      seen.add(provider.id)
      return provider
    })
  })
}

const SIGNATURES = 'error_signatures'

function providerOf(entry: unknown, place: string, file: string): ProviderSignatures {
  const { id, error_signatures = {} } = entry as { id?: unknown; error_signatures?: unknown }
  if (typeof id !== 'string' || id === '')
    throw new ConfigError(file, `${place} needs an "id", a non-empty string`)
  const where = `provider ${JSON.stringify(id)}`
  for (const key of Object.keys(entry as object)) {
    if (key !== SIGNATURES && nearest(key, [SIGNATURES]) === SIGNATURES)
      throw new ConfigError(file, `${where}: unknown key "${key}"; did you mean ${SIGNATURES}?`)
  }
  if (typeof error_signatures !== 'object' || error_signatures === null || Array.isArray(error_signatures)) {
    throw new ConfigError(
      file,
      `${where}: "error_signatures" must be a table such as { throttle = ["rate.?limit"], flake = ["timed out"] }`,
    )
  }
  for (const [list, patterns] of Object.entries(error_signatures)) {
    if (list !== 'throttle' && list !== 'flake') {
      throw new ConfigError(file, `${where}: unknown key "error_signatures.${list}"; one of: throttle, flake`)
    }
    if (!Array.isArray(patterns) || patterns.some(pattern => typeof pattern !== 'string')) {
      throw new ConfigError(file, `${where}: "error_signatures.${list}" must be a list of patterns (strings)`)
    }
  }
  return { id, error_signatures: error_signatures as SignatureLists }
}
