import { type Signature, type SignatureLists, Signatures } from './signature.ts'

/** Finds the signatures of a provider by name: a `Map`, or anything with the same `get`. */
export interface SignatureMap {
  get(provider: string): Signatures | undefined
}

/** Where signatures come from. */
export interface SignatureSources {
  /** `error_signatures` by provider. Default: none. */
  lists?: ReadonlyMap<string, SignatureLists>
  /** The config's `[[signature]]` entries. Default: none. */
  signatures?: readonly Signature[]
}

/** Signatures of all providers. Those of one provider are compiled on first use. */
export class AllSignatures implements SignatureMap {
  readonly #sources: SignatureSources
  readonly #compiled = new Map<string, Signatures>()

  constructor(sources: SignatureSources) {
    this.#sources = sources
  }

  /** The signatures that apply to a provider, or undefined. An empty name stands for an unknown provider. */
  get(provider: string): Signatures | undefined {
    let compiled = this.#compiled.get(provider)
    if (!compiled) {
      const { lists, signatures } = this.#sources
      compiled = new Signatures(provider, lists?.get(provider) ?? {}, signatures)
      if (this.#compiled.size >= MOST_COMPILED) this.#compiled.clear()
      this.#compiled.set(provider, compiled)
    }
    return compiled.isEmpty ? undefined : compiled
  }
}

/** Bounds the cache: callers may invent provider names without end. */
const MOST_COMPILED = 256

/**
 * Compiles the signatures of all providers. A provider whose lists are both empty counts as not configured.
 * Throws {@link SignatureCompileError} on the first pattern that cannot be used.
 */
export function buildSignatureMap(
  providers: Iterable<{ id: string; error_signatures?: SignatureLists | undefined }>,
): Map<string, Signatures> {
  const map = new Map<string, Signatures>()
  for (const { id, error_signatures } of providers) {
    const signatures = new Signatures(id, error_signatures ?? {})
    if (!signatures.isEmpty) map.set(id, signatures)
  }
  return map
}
