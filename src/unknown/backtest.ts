import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure, FailureClass } from '../failure/failure.ts'
import { classifyRecorded } from '../failure/recorded.ts'
import { type Signature, Signatures } from '../failure/signature.ts'
import { COMMON_FAILURES } from './common-failures.ts'

/** A failure to try signatures on: a recorded one, or an input with its expected class. */
export type BacktestCase =
  | { failure: Failure; provider?: string | undefined }
  | { input: unknown; context: ClassifyContext; expected: FailureClass | 'none' }

/** A change of class that signatures would cause. */
export interface BacktestChange {
  from: FailureClass
  to: FailureClass
  count: number
  /** The class was right before, as far as is known, so the change would be a mistake. */
  isFlip: boolean
  /** Messages of such failures, redacted; at most three. */
  examples: readonly string[]
}

/** What signatures would change. */
export interface BacktestReport {
  /** Failures that were tried. */
  failures: number
  /** Failures that a signature matched. */
  matched: number
  /** Right classifications that would become wrong. */
  flips: number
  /** The changes of class, flips first, then the most common. */
  changes: readonly BacktestChange[]
}

const MOST_EXAMPLES = 3

/** Tries signatures on failures. {@link COMMON_FAILURES} are always among them. */
export class Backtest {
  readonly #signatures: readonly Signature[]
  /** Providers that a signature names; all others share one compiled set, because compiling takes long. */
  readonly #providers: ReadonlySet<string>
  readonly #compiled = new Map<string, Signatures>()
  readonly #changes = new Map<
    string,
    { from: FailureClass; to: FailureClass; isFlip: boolean; messages: string[] }
  >()
  #failures = 0
  #matched = 0

  /** @param common false if the caller adds {@link commonCases} itself, a few at a time. Default true. */
  constructor(signatures: readonly Signature[], { common = true }: { common?: boolean } = {}) {
    this.#signatures = signatures
    this.#providers = new Set(signatures.flatMap(({ provider }) => provider ?? []))
    if (common) for (const each of commonCases()) this.add(each)
  }

  /** Tries the signatures on one failure. */
  add(given: BacktestCase): void {
    this.#failures++
    if ('failure' in given) {
      const { failure } = given
      const after = classifyRecorded(failure, this.#for(given.provider ?? failure.provider), 0)
      if (after) this.#count(failure, after.failure, failure.class !== 'unknown')
      return
    }
    const { input, context, expected } = given
    const before = classify(input, context)
    const after = classify(input, { ...context, signatures: this.#for(context.provider) })
    if (before && after && isSigned(after)) this.#count(before, after, before.class === expected)
  }

  /** The result so far. */
  get report(): BacktestReport {
    const changes = [...this.#changes.values()].map(({ messages, ...change }) => ({
      ...change,
      count: messages.length,
      examples: [...new Set(messages)].slice(0, MOST_EXAMPLES),
    }))
    const flips = changes.reduce((sum, { isFlip, count }) => sum + (isFlip ? count : 0), 0)
    const order = (a: BacktestChange, b: BacktestChange) =>
      Number(b.isFlip) - Number(a.isFlip) || b.count - a.count || (a.from + a.to < b.from + b.to ? -1 : 1)
    return { failures: this.#failures, matched: this.#matched, flips, changes: changes.sort(order) }
  }

  #count(before: Failure, after: Failure, wasRight: boolean): void {
    this.#matched++
    const [from, to] = [before.class, after.class]
    if (from === to) return
    const key = `${from} ${to} ${wasRight}`
    const change = this.#changes.get(key) ?? { from, to, isFlip: wasRight, messages: [] }
    change.messages.push(before.message)
    this.#changes.set(key, change)
  }

  #for(given = ''): Signatures {
    const provider = this.#providers.has(given) ? given : ''
    let compiled = this.#compiled.get(provider)
    if (!compiled) {
      compiled = new Signatures(provider, {}, this.#signatures)
      this.#compiled.set(provider, compiled)
    }
    return compiled
  }
}

/** The failures that every backtest includes. */
export function commonCases(): BacktestCase[] {
  return COMMON_FAILURES.map(({ text, class: expected }) => ({ input: text, context: {}, expected }))
}

function isSigned({ evidence: { rule } }: Failure): boolean {
  return rule.startsWith('signature:') || rule.startsWith('label:')
}
