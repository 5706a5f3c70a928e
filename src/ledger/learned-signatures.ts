import { isSignatures } from '../failure/context.ts'
import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { type Signature, Signatures } from '../failure/signature.ts'
import type { SignatureMap } from '../failure/signature-map.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import type { Label } from './label.ts'
import type { Ledger } from './ledger.ts'

/** The source of labels. */
export type LabelSource = Pick<Ledger, 'labels'>

/** A caller may invent any number of provider names. */
const MOST_COMPILED = 256

/**
 * The signatures of a config, followed by those of the labels in force. Always uses the labels that were read last, so
 * its users never need a new instance.
 */
export class LearnedSignatures implements SignatureMap {
  readonly #base: Signatures | SignatureMap | undefined
  readonly #mayTrust: boolean
  readonly #compiled = new Map<string, Signatures>()
  #learned: readonly Signature[] = []
  #ids = ''
  #readAt = -Infinity

  /**
   * @param base the signatures of the config; they come first
   * @param mayTrust false if the ledger may come from an untrusted config: then labels set only the class. Default true
   */
  constructor(base?: Signatures | SignatureMap, { mayTrust = true }: { mayTrust?: boolean } = {}) {
    this.#base = base
    this.#mayTrust = mayTrust
  }

  /** Changes whenever the set of labels in force changes. */
  get version(): string {
    return this.#ids
  }

  /** The signatures that apply to a provider; undefined if none does. */
  get(provider: string): Signatures | undefined {
    let compiled = this.#compiled.get(provider)
    if (!compiled) {
      const base = isSignatures(this.#base) ? this.#base : this.#base?.get(provider)
      compiled =
        this.#learned.length === 0 && base
          ? base
          : (base ?? new Signatures(provider, {})).withLearned(this.#learned)
      if (this.#compiled.size >= MOST_COMPILED) this.#compiled.clear()
      this.#compiled.set(provider, compiled)
    }
    return compiled.isEmpty ? undefined : compiled
  }

  /** Reads the labels in force. True if they have changed. */
  async read(ledger: LabelSource): Promise<boolean> {
    const labels = await ledger.labels()
    const ids = labels.map(({ id }) => id).join(' ')
    if (ids === this.#ids) return false
    this.#ids = ids
    this.#learned = labels.flatMap(label => signatureOf(label, this.#mayTrust))
    this.#compiled.clear()
    return true
  }

  /** Reads the labels unless they were read within the last second before `now` (epoch milliseconds). */
  async readIfOld(ledger: LabelSource, now: number): Promise<void> {
    if (now >= this.#readAt && now < this.#readAt + 1_000) return
    this.#readAt = now
    await this.read(ledger)
  }
}

/** A label as a signature. Omits a pattern that this version cannot use: the fingerprint still matches. */
export function signatureOf(label: Label, mayTrust = true): Signature[] {
  const { fingerprint, provider, signature: pattern, class: cls, kind, effect, retryAfterMs } = label
  return [
    {
      fingerprint,
      class: cls,
      ...present({ provider }),
      ...(pattern !== undefined && isUsable(pattern) ? { pattern } : {}),
      ...(mayTrust && kind !== undefined ? { kind } : {}),
      ...(mayTrust && effect !== undefined ? { effect } : {}),
      ...(mayTrust && retryAfterMs !== undefined ? { retryAfterMs } : {}),
    },
  ]
}

function isUsable(pattern: string): boolean {
  try {
    compilePattern('', pattern)
    return redact(pattern) === pattern
  } catch {
    return false
  }
}
