import {
  classOfKind,
  type Effect,
  type FailureClass,
  type FailureKind,
  isFailureClass,
  type RefusalScope,
} from '../failure.ts'
import type { Rank } from './rank.ts'
import type { Vendor } from './vendor.ts'

/** All given parts must hold; within a part, one entry is enough. */
export interface When {
  /** Exact words from fields that name things, or `field=value` if the word alone is ambiguous. */
  code?: readonly string[]
  /** HTTP statuses, or a whole range such as `5xx`. */
  status?: readonly (number | '4xx' | '5xx')[]
  /** Phrases in any text; see text/phrase.ts for the syntax. */
  says?: readonly string[]
  /** Words of which one must be present too. */
  also?: readonly string[]
  /** Applies only to these vendors, because a number means something else elsewhere. */
  vendor?: readonly Vendor[]
  /** Does not apply to these vendors. */
  notVendor?: readonly Vendor[]
  /** Phrases that forbid the rule: in the text that it would match, or, for codes and statuses, in any text. */
  unless?: readonly string[]
}

/** One entry of the catalogue: how a failure looks, and what it is. */
export interface Rule {
  id: string
  class: FailureClass
  kind: FailureKind
  effect: Effect
  rank: Rank
  /** For refusals that always concern the account, or always one resource. Default: the words decide. */
  scope?: RefusalScope
  /** Why the rule exists; shown by `mulligan explain`. */
  why: string
  when: readonly When[]
  /** An input that this rule decides. Every example is a test. */
  example: unknown
  /** Provider to classify the example with, if the rule needs it. */
  exampleProvider?: string
  /** True if the example was returned by a tool or an API, not thrown or printed. */
  exampleReturned?: boolean
}

/** Permanent kinds that are not a refusal up front: they show during the work, or after it. */
const MET_AT_WORK: ReadonlySet<FailureKind> = new Set(['code_bug', 'disk_full', 'output_limit'])

function defaultEffect(cls: FailureClass, kind: FailureKind): Effect {
  return cls === 'throttle' || (cls === 'permanent' && !MET_AT_WORK.has(kind)) ? 'none' : 'maybe'
}

export type Meaning = Pick<Rule, 'class' | 'kind' | 'rank' | 'effect' | 'scope'>

/** What a rule means, as pages and the compiled catalogue write it: kind, rank, then what differs from the default. */
export function meaningIn(written: string): Meaning {
  const [kind, rank, ...others] = written.split(' ') as [FailureKind, Rank, ...string[]]
  const cls = others.find(isFailureClass) ?? classOfKind(kind)
  const effect = others.find(word => word === 'none' || word === 'maybe') ?? defaultEffect(cls, kind)
  const scope = others.find(word => word === 'account' || word === 'resource')
  return { class: cls, kind, rank, effect, ...(scope ? { scope } : {}) }
}

export function writeMeaning({ class: cls, kind, rank, effect, scope }: Meaning): string {
  const others = [
    cls === classOfKind(kind) ? '' : cls,
    effect === defaultEffect(cls, kind) ? '' : effect,
    scope ?? '',
  ]
  return [kind, rank, ...others].filter(word => word !== '').join(' ')
}
