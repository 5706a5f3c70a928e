import { createHash } from 'node:crypto'
import { type FailureLabel, problemOfLabel } from '../failure/label.ts'
import { present } from '../failure/present.ts'
import type { Signature } from '../failure/signature.ts'
import { SignatureCompileError } from '../failure/signature-error.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import type { Page, PageRequest } from '../ledger/filter.ts'
import type { Label, NewLabel } from '../ledger/label.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Unknown, UnknownFilter } from '../ledger/unknown.ts'
import { answerOf } from '../ledger/writing.ts'
import { realTime } from '../time/time.ts'
import type { BacktestReport } from './backtest.ts'
import { type BacktestBounds, boundedBacktest, type Tried } from './bounded-backtest.ts'
import { collectUnknowns } from './collect.ts'
import { LabelError } from './label-error.ts'
import { packOf } from './pack.ts'
import { type Proposal, proposeSignature } from './propose.ts'
import { recordedFailures } from './recorded-failures.ts'
import { type Near, nearestOf } from './similarity.ts'
import type { WrittenSignatures } from './written-signatures.ts'

/** One fingerprint, and everything that helps to label it. */
export interface UnknownDetails {
  fingerprint: string
  /** One per provider that it came from. */
  unknowns: readonly Unknown[]
  /** Active labels of this fingerprint. */
  labels: readonly Label[]
  /** Number of operations that wait for its label. */
  parked: number
  /** The pattern that a label would add, or why there is none. */
  proposal: Proposal
  /** Labels of the most similar failures, nearest first. */
  suggestions: readonly Near<Label>[]
}

/** The label that a person gives to an unknown, and how far it applies. */
export interface Teaching extends FailureLabel {
  /** The author, for the record. */
  who: string
  /** The reason, for people. Default none. */
  why?: string | undefined
  /** Apply the label to every provider. Default only those that the unknown came from. */
  allProviders?: boolean | undefined
  /** The pattern that recognises such failures. Default the proposed one; `false`: none, only the fingerprint counts. */
  pattern?: string | false | undefined
  /** Give the label even if it makes right classifications wrong. Default false. */
  force?: boolean | undefined
}

/** The effect that a label would have. */
export interface TeachingPreview {
  details: UnknownDetails
  signatures: readonly Signature[]
  backtest: BacktestReport
}

const UNBOUNDED: BacktestBounds = {
  time: realTime,
  signal: new AbortController().signal,
  limitMs: Number.POSITIVE_INFINITY,
}

/** The unknown failures of a ledger, and their labels. */
export class Unknowns {
  readonly #ledger: Ledger
  readonly #bounds: BacktestBounds

  /** @param bounds of its backtests; default: none, as for a command that does nothing else */
  constructor(ledger: Ledger, bounds: BacktestBounds = UNBOUNDED) {
    this.#ledger = ledger
    this.#bounds = bounds
  }

  /** Unknowns, a page at a time, the one first seen most recently first. Collects new failures first. */
  async list(filter?: UnknownFilter, page?: PageRequest): Promise<Page<Unknown>> {
    await collectUnknowns(this.#ledger)
    return this.#ledger.unknowns(filter, page)
  }

  /**
   * Completes a fingerprint from a unique prefix, with or without `fp2:`. Throws an `LabelError` if none or several
   * match.
   */
  async find(prefix: string): Promise<string> {
    await collectUnknowns(this.#ledger)
    // The list holds only the newest 1,000; a full fingerprint is found without it.
    if (/^fp\d:[0-9a-f]{16}$/.test(prefix) && (await this.#ledger.unknown(prefix)).length > 0) return prefix
    const { items } = await this.#ledger.unknowns({}, { limit: 1_000 })
    const known = [...new Set(items.map(({ fingerprint }) => fingerprint))]
    const found = known.filter(
      fingerprint => fingerprint.startsWith(prefix) || fingerprint.replace(/^fp\d:/, '').startsWith(prefix),
    )
    if (found.length === 1) return found[0] as string
    if (found.length > 1)
      throw new LabelError('not_found', `${prefix} matches ${found.length} fingerprints: ${found.join(', ')}`)
    const others = known.length === 0 ? 'there are no unknowns' : 'to list them: mulligan unknowns ls --all'
    throw new LabelError('not_found', `no unknown has the fingerprint ${prefix}; ${others}`)
  }

  /** Everything about one fingerprint. Throws an `LabelError` if it was never seen. */
  async show(fingerprint: string): Promise<UnknownDetails> {
    await collectUnknowns(this.#ledger)
    const unknowns = await this.#ledger.unknown(fingerprint)
    if (unknowns.length === 0)
      throw new LabelError('not_found', `no unknown has the fingerprint ${fingerprint}`)
    const samples = unknowns.flatMap(unknown => unknown.samples.map(({ failure }) => failure))
    const { total } = await this.#ledger.counts({ fingerprint, parkedFor: 'label' })
    const all = await this.#ledger.labels()
    const known = await Promise.all(
      all.map(async label => {
        const [taught] = await this.#ledger.unknown(label.fingerprint)
        return { value: label, text: taught?.samples[0]?.failure.message ?? label.signature ?? '' }
      }),
    )
    return {
      fingerprint,
      unknowns,
      labels: all.filter(label => label.fingerprint === fingerprint),
      parked: total,
      proposal: proposeSignature(samples),
      suggestions: nearestOf(
        samples[0]?.message ?? '',
        known.filter(({ value }) => value.fingerprint !== fingerprint),
      ),
    }
  }

  /** The effect that a label would have. Gives no label. */
  async preview(fingerprint: string, teaching: Omit<Teaching, 'who'>): Promise<TeachingPreview> {
    const found = problemOfLabel(teaching)
    if (found) throw new LabelError('invalid', found.problem)
    if (typeof teaching.pattern === 'string') checkPattern(teaching.pattern)
    const details = await this.show(fingerprint)
    const pattern = teaching.pattern ?? details.proposal.pattern
    const { class: cls, kind, effect, retryAfterMs } = teaching
    const signatures = providersOf(details, teaching.allProviders).map(provider => ({
      fingerprint,
      class: cls,
      ...present({ provider }),
      ...(typeof pattern === 'string' ? { pattern } : {}),
      ...present({ kind, effect, retryAfterMs }),
    }))
    return { details, signatures, backtest: await this.backtest(signatures) }
  }

  /**
   * Labels an unknown. Runners then decide anew on operations parked for it, and the next such failure is classified by
   * the label. Throws an `LabelError` if right classifications would become wrong, unless `force` is given.
   */
  async label(
    fingerprint: string,
    teaching: Teaching,
  ): Promise<TeachingPreview & { ids: readonly string[] }> {
    const preview = await this.preview(fingerprint, teaching)
    const { who, why, force = false } = teaching
    refuseFlips(preview.backtest, force)
    return { ...preview, ids: await this.#add(preview.signatures, who, () => why) }
  }

  /** Withdraws a label by its id, or all labels of a fingerprint. Returns the withdrawn labels. */
  async withdraw(idOrFingerprint: string, who: string): Promise<readonly Label[]> {
    const labels = (await this.#ledger.labels()).filter(
      ({ id, fingerprint }) => id === idOrFingerprint || fingerprint === idOrFingerprint,
    )
    if (labels.length === 0)
      throw new LabelError('not_found', `no active label has the id or fingerprint ${idOrFingerprint}`)
    await this.#ledger.transaction(function* (writes) {
      for (const { id } of labels) yield* answerOf(writes.withdrawLabel(id, who))
    })
    return labels
  }

  /** What signatures would change in the recorded failures. */
  async backtest(signatures: readonly Signature[]): Promise<BacktestReport> {
    return (await this.#try({ form: 'list', signatures })).report
  }

  #try(written: WrittenSignatures): Promise<Tried> {
    return boundedBacktest(written, recordedFailures(this.#ledger), this.#bounds)
  }

  /** All active labels as a signature pack. */
  async exportPack(): Promise<string> {
    return packOf(await this.#ledger.labels())
  }

  /** Adds the signatures of a pack as labels, after a backtest. */
  async importPack(
    text: string,
    file: string,
    { who, allow, force = false, dryRun = false }: ImportOptions,
  ): Promise<{ signatures: readonly Signature[]; backtest: BacktestReport; ids: readonly string[] }> {
    const written = { form: 'pack', text, file, allow: allow === true } as const
    const { signatures, report: backtest } = await this.#try(written)
    if (dryRun) return { signatures, backtest, ids: [] }
    refuseFlips(backtest, force)
    return { signatures, backtest, ids: await this.#add(signatures, who, index => signatures[index]?.why) }
  }

  #add(
    signatures: readonly Signature[],
    who: string,
    why: (index: number) => string | undefined,
  ): Promise<string[]> {
    const labels = signatures.map((signature, index) => labelOf(signature, who, why(index)))
    return this.#ledger.transaction(function* (writes) {
      const ids: string[] = []
      for (const label of labels) ids.push((yield* answerOf(writes.addLabel(label))).id)
      return ids
    })
  }
}

function labelOf(signature: Signature, who: string, why: string | undefined): NewLabel {
  const { fingerprint, pattern, provider, class: cls, kind, effect, retryAfterMs } = signature
  return {
    fingerprint: fingerprint ?? nameOfPattern(pattern ?? ''),
    class: cls,
    who,
    ...present({ provider, signature: pattern, kind, effect, retryAfterMs, why }),
  }
}

/** Options of {@link Unknowns.importPack}. */
export interface ImportOptions {
  /** The author of the labels, for the record. */
  who: string
  /** Accept an effect of `none`, and waits over one day. Default false. */
  allow?: boolean | undefined
  /** Import it even if it makes right classifications wrong. Default false. */
  force?: boolean | undefined
  /** Only run the backtest. Default false. */
  dryRun?: boolean | undefined
}

/** The key of a label that has a pattern but no fingerprint. */
function nameOfPattern(pattern: string): string {
  return `pattern:${createHash('sha256').update(pattern).digest('hex').slice(0, 16)}`
}

function providersOf({ unknowns }: UnknownDetails, allProviders = false): readonly (string | undefined)[] {
  const providers = unknowns.map(({ provider }) => provider)
  return allProviders || providers.includes(undefined) ? [undefined] : providers
}

function checkPattern(pattern: string): void {
  try {
    compilePattern('', pattern)
  } catch (error) {
    if (!(error instanceof SignatureCompileError)) throw error
    throw new LabelError('invalid', `pattern ${JSON.stringify(pattern)} cannot be used: ${error.reason}`)
  }
}

function refuseFlips({ flips, changes }: BacktestReport, force: boolean): void {
  if (flips === 0 || force) return
  const [worst] = changes
  throw new LabelError(
    'flips',
    `the label would make ${flips} right ${flips === 1 ? 'classification' : 'classifications'} wrong, such as ${worst?.from} → ${worst?.to}: ${JSON.stringify(worst?.examples[0])}`,
  )
}
