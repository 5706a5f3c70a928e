import { createHash } from 'node:crypto'
import { type FailureLabel, problemOfLabel } from '../failure/label.ts'
import type { Signature } from '../failure/signature.ts'
import { compilePattern, SignatureCompileError } from '../failure/signature-pattern.ts'
import type { Page, PageRequest } from '../ledger/filter.ts'
import type { Label, NewLabel } from '../ledger/label.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { inOrder, whenThere } from '../ledger/maybe-promise.ts'
import type { Unknown, UnknownFilter } from '../ledger/unknown.ts'
import { Backtest, type BacktestReport } from './backtest.ts'
import { collectUnknowns } from './collect.ts'
import { UnknownError } from './error.ts'
import { packOf, readPack } from './pack.ts'
import { type Proposal, proposeSignature } from './propose.ts'
import { recordedFailures } from './recorded-failures.ts'
import { type Near, nearestOf } from './similarity.ts'

/** One fingerprint, and everything that helps to label it. */
export interface UnknownDetails {
  fingerprint: string
  /** One for each provider that it came from. */
  unknowns: readonly Unknown[]
  /** Labels in force that name it. */
  labels: readonly Label[]
  /** Operations that wait for a label of it. */
  parked: number
  /** The pattern that a label would bring along, or why there is none. */
  proposal: Proposal
  /** Labels of the failures that read most like it, the nearest first. */
  suggestions: readonly Near<Label>[]
}

/** What a person says of an unknown. */
export interface Teaching extends FailureLabel {
  /** Who says so. */
  who: string
  /** Why, for people. Default nothing. */
  why?: string | undefined
  /** It holds for every provider. Default for those that the unknown came from. */
  allProviders?: boolean | undefined
  /** The pattern to recognise others by. Default the proposed one; `false` for none, then the fingerprint alone decides. */
  pattern?: string | false | undefined
  /** Give the label although it makes right classifications wrong. Default false. */
  force?: boolean | undefined
}

/** What a label would do. */
export interface TeachingPreview {
  details: UnknownDetails
  signatures: readonly Signature[]
  backtest: BacktestReport
}

/** Failures that nobody knows, and what people say of them, in one ledger. */
export class Unknowns {
  readonly #ledger: Ledger

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Unknowns, that first seen last first, a page at a time. What happened meanwhile is collected first. */
  async list(filter?: UnknownFilter, page?: PageRequest): Promise<Page<Unknown>> {
    await collectUnknowns(this.#ledger)
    return this.#ledger.unknowns(filter, page)
  }

  /**
   * The fingerprint that a person means: in full, or by enough of its beginning, with or without `fp1:`. Throws an
   * `UnknownError` if none or several begin so.
   */
  async find(beginning: string): Promise<string> {
    await collectUnknowns(this.#ledger)
    // All of it needs no list, which holds only the newest.
    if (/^fp\d:[0-9a-f]{16}$/.test(beginning) && (await this.#ledger.unknown(beginning)).length > 0)
      return beginning
    const { items } = await this.#ledger.unknowns({}, { limit: 1_000 })
    const known = [...new Set(items.map(({ fingerprint }) => fingerprint))]
    const wanted = /^fp\d:/.test(beginning) ? beginning : `fp1:${beginning}`
    const found = known.filter(fingerprint => fingerprint.startsWith(wanted))
    if (found.length === 1) return found[0] as string
    if (found.length > 1)
      throw new UnknownError(
        'not_found',
        `${beginning} begins ${found.length} fingerprints: ${found.join(', ')}`,
      )
    const others = known.length === 0 ? 'there are no unknowns' : 'for the list: mulligan unknowns ls --all'
    throw new UnknownError('not_found', `no unknown has the fingerprint ${beginning}; ${others}`)
  }

  /** Everything about one fingerprint. Throws an `UnknownError` if it was never seen. */
  async show(fingerprint: string): Promise<UnknownDetails> {
    await collectUnknowns(this.#ledger)
    const unknowns = await this.#ledger.unknown(fingerprint)
    if (unknowns.length === 0)
      throw new UnknownError('not_found', `no unknown has the fingerprint ${fingerprint}`)
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

  /** What a label would do, without giving it. */
  async preview(fingerprint: string, teaching: Omit<Teaching, 'who'>): Promise<TeachingPreview> {
    const found = problemOfLabel(teaching)
    if (found) throw new UnknownError('invalid', found.problem)
    if (typeof teaching.pattern === 'string') checkPattern(teaching.pattern)
    const details = await this.show(fingerprint)
    const pattern = teaching.pattern ?? details.proposal.pattern
    const { class: cls, kind, effect, retryAfterMs } = teaching
    const signatures = providersOf(details, teaching.allProviders).map(provider => ({
      fingerprint,
      class: cls,
      ...(provider === undefined ? {} : { provider }),
      ...(typeof pattern === 'string' ? { pattern } : {}),
      ...(kind === undefined ? {} : { kind }),
      ...(effect === undefined ? {} : { effect }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }))
    return { details, signatures, backtest: await this.backtest(signatures) }
  }

  /**
   * Labels an unknown. Runners judge what is parked on it again, and the next such failure is what the label says. Throws
   * an `UnknownError` if right classifications would become wrong, unless `force` is given.
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

  /** Withdraws a label by its id, or all labels of a fingerprint. Gives those that were withdrawn. */
  async withdraw(idOrFingerprint: string, who: string): Promise<readonly Label[]> {
    const labels = (await this.#ledger.labels()).filter(
      ({ id, fingerprint }) => id === idOrFingerprint || fingerprint === idOrFingerprint,
    )
    if (labels.length === 0) throw new UnknownError('not_found', `no label in force is ${idOrFingerprint}`)
    await this.#ledger.transaction(writes => inOrder(labels, ({ id }) => writes.withdrawLabel(id, who)))
    return labels
  }

  /** What signatures would change in the failures that were written down. */
  async backtest(signatures: readonly Signature[]): Promise<BacktestReport> {
    const backtest = new Backtest(signatures)
    for await (const recorded of recordedFailures(this.#ledger)) backtest.add(recorded)
    return backtest.report
  }

  /** All labels in force as a signature pack. */
  async exportPack(): Promise<string> {
    return packOf(await this.#ledger.labels())
  }

  /** Takes the signatures of a pack as labels, after a backtest. */
  async importPack(
    text: string,
    file: string,
    { who, allow, force = false, dryRun = false }: ImportOptions,
  ): Promise<{ signatures: readonly Signature[]; backtest: BacktestReport; ids: readonly string[] }> {
    const signatures = readPack(text, file, { allow: allow === true })
    const backtest = await this.backtest(signatures)
    if (dryRun) return { signatures, backtest, ids: [] }
    refuseFlips(backtest, force)
    const reasons = new Map(signatures.map(({ why }, index) => [index, why]))
    return { signatures, backtest, ids: await this.#add(signatures, who, index => reasons.get(index)) }
  }

  #add(
    signatures: readonly Signature[],
    who: string,
    why: (index: number) => string | undefined,
  ): Promise<string[]> {
    const labels = signatures.map((signature, index) => labelOf(signature, who, why(index)))
    return this.#ledger.transaction(writes =>
      whenThere(
        inOrder(labels, label => writes.addLabel(label)),
        added => added.map(({ id }) => id),
      ),
    )
  }
}

function labelOf(signature: Signature, who: string, why: string | undefined): NewLabel {
  const { fingerprint, pattern, provider, class: cls, kind, effect, retryAfterMs } = signature
  return {
    fingerprint: fingerprint ?? nameOfPattern(pattern ?? ''),
    class: cls,
    who,
    ...(provider === undefined ? {} : { provider }),
    ...(pattern === undefined ? {} : { signature: pattern }),
    ...(kind === undefined ? {} : { kind }),
    ...(effect === undefined ? {} : { effect }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(why === undefined ? {} : { why }),
  }
}

/** How a pack is taken. */
export interface ImportOptions {
  /** Who takes it. */
  who: string
  /** It may say that failed tries did nothing, and wait longer than a day. Default false. */
  allow?: boolean | undefined
  /** Take it although it makes right classifications wrong. Default false. */
  force?: boolean | undefined
  /** Only the backtest. Default false. */
  dryRun?: boolean | undefined
}

/** A label needs a name; what has only a pattern is known by that. */
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
    throw new UnknownError('invalid', `pattern ${JSON.stringify(pattern)} cannot be used: ${error.reason}`)
  }
}

function refuseFlips({ flips, changes }: BacktestReport, force: boolean): void {
  if (flips === 0 || force) return
  const [worst] = changes
  throw new UnknownError(
    'flips',
    `it would make ${flips} right ${flips === 1 ? 'classification' : 'classifications'} wrong, such as ${worst?.from} → ${worst?.to}: ${JSON.stringify(worst?.examples[0])}`,
  )
}
