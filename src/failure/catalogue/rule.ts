import {
  classOfKind,
  type Effect,
  type FailureClass,
  type FailureKind,
  type RefusalScope,
} from '../failure.ts'
import type { Vendor } from './vendor.ts'

/**
 * How much a rule's evidence proves. Higher ranks beat lower ones at any depth; within a rank the
 * deeper layer wins, then the order of kinds (precedence.ts).
 *
 * - `told`   a kind that the failed program itself states: it decides alone
 * - `cause`  names the cause itself, which no wrapper or status overrides
 * - `named`  a typed name, code or status that names a family
 * - `said`   words that usually mean it
 * - `hint`   what wrappers say: a bare 400 or 500, "fetch failed", "invalid_request_error"
 * - `last`   better than nothing: an exit code, the type of an error
 */
export type Rank = 'told' | 'cause' | 'named' | 'said' | 'hint' | 'last'

/** All given parts must hold; within a part, one entry is enough. */
export interface When {
  /** Exact words from fields that name things, or `field=value` if the word alone is ambiguous. */
  code?: readonly string[]
  /** HTTP statuses, or a whole range such as `5xx`. */
  status?: readonly (number | '4xx' | '5xx')[]
  /** Phrases in any text; see text/phrase.ts for the syntax. */
  says?: readonly string[]
  /** Words that must be present too. */
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

export interface RuleSource extends Omit<Rule, 'when' | 'class' | 'id' | 'rank' | 'effect'> {
  class?: FailureClass
  rank?: Rank
  /** Whether the request may have taken effect. Default: `none` for throttles and refusals, `maybe` for the rest. */
  effect?: Effect
  when: When | readonly When[]
}

const RANK_BY_PART = [
  ['says', 'said'],
  ['code', 'named'],
  ['status', 'hint'],
] as const

/** Builds a family of rules: ids become `family.name`; class, rank and effect get their defaults. */
export function family(name: string, rules: Record<string, RuleSource>): Rule[] {
  return Object.entries(rules).map(([id, source]) => {
    const when: readonly When[] = Array.isArray(source.when) ? source.when : [source.when as When]
    const cls = source.class ?? classOfKind(source.kind)
    return {
      ...source,
      id: `${name}.${id}`,
      class: cls,
      rank: source.rank ?? defaultRank(when),
      effect: source.effect ?? defaultEffect(cls, source.kind),
      when,
    }
  })
}

/** Permanent kinds that are not a refusal up front: they show during the work, or after it. */
const MET_AT_WORK: ReadonlySet<FailureKind> = new Set(['code_bug', 'disk_full', 'output_limit'])

function defaultEffect(cls: FailureClass, kind: FailureKind): Effect {
  return cls === 'throttle' || (cls === 'permanent' && !MET_AT_WORK.has(kind)) ? 'none' : 'maybe'
}

function defaultRank(when: readonly When[]): Rank {
  const part = RANK_BY_PART.find(([key]) => when.every(condition => condition[key]))
  return part?.[1] ?? 'named'
}
