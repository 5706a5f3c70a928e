import {
  classOfKind,
  type Effect,
  type FailureClass,
  type FailureKind,
  type RefusalScope,
} from '../failure.ts'
import type { Vendor } from './vendor.ts'

/**
 * How much a rule's evidence proves. Higher ranks beat lower ones wherever they stand; within a rank the
 * deeper layer wins, then the order of kinds (precedence.ts).
 *
 * - `told`   a kind that the failed program states for other programs: it decides alone
 * - `cause`  names the cause itself, so that no wrapper or status can mean something else
 * - `named`  a typed name, code or status that names a family
 * - `said`   words that usually mean it
 * - `hint`   what wrappers say: a bare 400 or 500, "fetch failed", "invalid_request_error"
 * - `last`   better than nothing: an exit code, the type of an error
 */
export type Rank = 'told' | 'cause' | 'named' | 'said' | 'hint' | 'last'

/** All given parts must hold; within a part any entry suffices. */
export interface When {
  /** Exact words of fields that name things, or `field=value` where the word alone is ambiguous. */
  code?: readonly string[]
  /** HTTP statuses, or a whole hundred as `5xx`. */
  status?: readonly (number | '4xx' | '5xx')[]
  /** Phrases in any text; see text/phrase.ts for the language. */
  says?: readonly string[]
  /** Words that have to be there as well. */
  also?: readonly string[]
  /** Holds only for these vendors: a number means something else elsewhere. */
  vendor?: readonly Vendor[]
  /** Does not hold for these. */
  notVendor?: readonly Vendor[]
  /** Phrases that forbid the rule: in the text that it would match, or, for codes and statuses, in any text. */
  unless?: readonly string[]
}

/** One thing we know about how failures speak. */
export interface Rule {
  id: string
  class: FailureClass
  kind: FailureKind
  effect: Effect
  rank: Rank
  /** For refusals that are always about the account, or always about one thing. Default: the words decide. */
  scope?: RefusalScope
  /** Why the rule exists, for the reader of `mulligan explain`. */
  why: string
  when: readonly When[]
  /** An input that this rule decides. Every example is a test. */
  example: unknown
  /** Provider to classify the example with, where the rule needs to know it. */
  exampleProvider?: string
  /** True where the example is a value that a tool or an API returned, not something thrown or printed. */
  exampleReturned?: boolean
}

export interface RuleSource extends Omit<Rule, 'when' | 'class' | 'id' | 'rank' | 'effect'> {
  class?: FailureClass
  rank?: Rank
  /** Whether the request can have taken effect when this is seen: `none` if it was refused before. Default `none` for throttles and refusals, `maybe` for the rest. */
  effect?: Effect
  when: When | readonly When[]
}

const RANK_BY_PART = [
  ['says', 'said'],
  ['code', 'named'],
  ['status', 'hint'],
] as const

/** Completes a family of rules: ids become `family.name`, class, rank and effect get their defaults. */
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

/** Permanent, and still no refusal: these show themselves in the middle of the work, or after it. */
const MET_AT_WORK: ReadonlySet<FailureKind> = new Set(['code_bug', 'disk_full', 'output_limit'])

function defaultEffect(cls: FailureClass, kind: FailureKind): Effect {
  return cls === 'throttle' || (cls === 'permanent' && !MET_AT_WORK.has(kind)) ? 'none' : 'maybe'
}

function defaultRank(when: readonly When[]): Rank {
  const part = RANK_BY_PART.find(([key]) => when.every(condition => condition[key]))
  return part?.[1] ?? 'named'
}
