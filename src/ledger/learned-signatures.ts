import { isSignatures } from '../failure/context.ts'
import { redact } from '../failure/redact.ts'
import { type Signature, Signatures } from '../failure/signature.ts'
import type { SignatureMap } from '../failure/signature-map.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import type { Label } from './label.ts'
import type { Ledger } from './ledger.ts'

/** What labels are read from. */
export type LabelSource = Pick<Ledger, 'labels'>

/** A caller may make up names of providers without end. */
const MOST_COMPILED = 256

/**
 * The signatures of a config and, behind them, those of the labels in force. Whoever classifies by it goes by labels as
 * they were last read, without being made anew.
 */
export class LearnedSignatures implements SignatureMap {
  readonly #base: Signatures | SignatureMap | undefined
  readonly #mayTrust: boolean
  readonly #compiled = new Map<string, Signatures>()
  #learned: readonly Signature[] = []
  #ids = ''
  #readAt = -Infinity

  /**
   * @param base those of the config; they come first
   * @param mayTrust false where a stranger may have named the ledger: then labels give the class alone. Default true
   */
  constructor(base?: Signatures | SignatureMap, { mayTrust = true }: { mayTrust?: boolean } = {}) {
    this.#base = base
    this.#mayTrust = mayTrust
  }

  /** Changes whenever other labels are in force. */
  get version(): string {
    return this.#ids
  }

  /** Those that apply to a provider; undefined if none does. */
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

  /** Reads the labels that are in force. True if they are others than before. */
  async read(ledger: LabelSource): Promise<boolean> {
    const labels = await ledger.labels()
    const ids = labels.map(({ id }) => id).join(' ')
    if (ids === this.#ids) return false
    this.#ids = ids
    this.#learned = labels.flatMap(label => signatureOf(label, this.#mayTrust))
    this.#compiled.clear()
    return true
  }

  /** Reads them if that was not done within the last second before `now` (epoch milliseconds). */
  async readIfOld(ledger: LabelSource, now: number): Promise<void> {
    if (now >= this.#readAt && now < this.#readAt + 1_000) return
    this.#readAt = now
    await this.read(ledger)
  }
}

/** A label as a signature. A pattern that this version cannot use is left out: its fingerprint still counts. */
export function signatureOf(label: Label, mayTrust = true): Signature[] {
  const { fingerprint, provider, signature: pattern, class: cls, kind, effect, retryAfterMs } = label
  return [
    {
      fingerprint,
      class: cls,
      ...(provider === undefined ? {} : { provider }),
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
