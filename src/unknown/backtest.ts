import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure, FailureClass } from '../failure/failure.ts'
import { classifyRecorded } from '../failure/recorded.ts'
import { type Signature, Signatures } from '../failure/signature.ts'
import { COMMON_FAILURES } from './common-failures.ts'

/** A failure to try signatures on: one that was written down, or an input with what it is known to be. */
export type BacktestCase =
  | { failure: Failure; provider?: string | undefined }
  | { input: unknown; context: ClassifyContext; expected: FailureClass | 'none' }

/** What signatures would make of failures that they match. */
export interface BacktestChange {
  from: FailureClass
  to: FailureClass
  count: number
  /** They were classified rightly, as far as anybody knows, and would not be any more. */
  isFlip: boolean
  /** Their messages, redacted; at most three. */
  examples: readonly string[]
}

/** What signatures would change. */
export interface BacktestReport {
  /** Failures that were looked at. */
  failures: number
  /** Failures that a signature matched. */
  matched: number
  /** Right classifications that would be wrong. */
  flips: number
  /** What would have another class, the flips first, then the most common. */
  changes: readonly BacktestChange[]
}

const MOST_EXAMPLES = 3

/** Tries signatures on failures, and always on those that everybody has met. */
export class Backtest {
  readonly #signatures: readonly Signature[]
  readonly #compiled = new Map<string, Signatures>()
  readonly #changes = new Map<
    string,
    { from: FailureClass; to: FailureClass; isFlip: boolean; said: string[] }
  >()
  #failures = 0
  #matched = 0

  constructor(signatures: readonly Signature[]) {
    this.#signatures = signatures
    for (const { text, class: expected } of COMMON_FAILURES) this.add({ input: text, context: {}, expected })
  }

  /** Looks at one more. */
  add(given: BacktestCase): void {
    this.#failures++
    if ('failure' in given) {
      const { failure } = given
      const after = classifyRecorded(failure, this.#for(given.provider ?? failure.provider), 0)
      if (after) this.#count(failure, after, failure.class !== 'unknown')
      return
    }
    const { input, context, expected } = given
    const before = classify(input, context)
    const after = classify(input, { ...context, signatures: this.#for(context.provider) })
    if (before && after && isSigned(after)) this.#count(before, after, before.class === expected)
  }

  /** What was found so far. */
  get report(): BacktestReport {
    const changes = [...this.#changes.values()].map(({ said, ...change }) => ({
      ...change,
      count: said.length,
      examples: [...new Set(said)].slice(0, MOST_EXAMPLES),
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
    const change = this.#changes.get(key) ?? { from, to, isFlip: wasRight, said: [] }
    change.said.push(before.message)
    this.#changes.set(key, change)
  }

  #for(provider = ''): Signatures {
    let compiled = this.#compiled.get(provider)
    if (!compiled) {
      compiled = new Signatures(provider, {}, this.#signatures)
      this.#compiled.set(provider, compiled)
    }
    return compiled
  }
}

function isSigned({ evidence: { rule } }: Failure): boolean {
  return rule.startsWith('signature:') || rule.startsWith('label:')
}
