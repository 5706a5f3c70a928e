import { type CompiledPhrases, compilePhrases } from '../text/compile-phrases.ts'
import type { Rule, When } from './rule.ts'
import { VENDOR_PHRASES, type Vendor } from './vendor.ts'

/** What stays of a rule when its conditions stand elsewhere. */
export type KnownRule = Omit<Rule, 'when' | 'example' | 'exampleProvider' | 'exampleReturned'>

/** What has to hold beside the word, status or phrase that a condition was looked up by. */
export interface Condition extends Pick<When, 'also' | 'vendor' | 'notVendor' | 'status'> {
  /** One of these words has to be there. */
  readonly words?: readonly string[]
}

/** What a phrase is used for, conditions by their numbers. */
export interface PhraseUse {
  /** Conditions that it meets. */
  readonly says?: readonly number[]
  /** Conditions that no phrase in the same text meets. */
  readonly unless?: readonly number[]
  /** Conditions that nothing meets. */
  readonly forbids?: readonly number[]
  /** Vendors that it betrays. */
  readonly vendors?: readonly Vendor[]
}

/**
 * The catalogue in the form that the matcher uses: words, statuses and phrases lead to conditions, conditions to
 * rules, each by its number. Plain data, so that a build can make it beforehand.
 */
export interface CompiledCatalogue {
  readonly rules: readonly KnownRule[]
  readonly conditions: readonly { readonly rule: number; readonly when: Condition }[]
  readonly phrases: CompiledPhrases
  readonly uses: readonly PhraseUse[]
  readonly byWord: readonly (readonly [string, readonly number[]])[]
  readonly byStatus: readonly (readonly [number | string, readonly number[]])[]
}

export function compileCatalogue(rules: readonly Rule[]): CompiledCatalogue {
  const uses = new Map<string, { -readonly [use in keyof PhraseUse]: unknown[] }>()
  const byWord = new Map<string, number[]>()
  const byStatus = new Map<number | string, number[]>()
  const conditions: { rule: number; when: Condition }[] = []
  const use = (phrase: string, how: keyof PhraseUse, what: number | Vendor) => {
    const known = entryOf(uses, phrase, {})
    known[how] ??= []
    known[how].push(what)
  }
  rules.forEach((rule, index) => {
    for (const when of rule.when) {
      const condition = conditions.push({ rule: index, when: conditionOf(when) }) - 1
      for (const phrase of when.unless ?? []) use(phrase, when.says ? 'unless' : 'forbids', condition)
      // It is looked up by the first of these that it has; the others have to hold as well.
      if (when.says) for (const phrase of when.says) use(phrase, 'says', condition)
      else if (when.code) for (const word of lowered(when.code)) entryOf(byWord, word, []).push(condition)
      else for (const status of when.status ?? []) entryOf(byStatus, status, []).push(condition)
    }
  })
  for (const { vendor, phrase } of VENDOR_PHRASES) use(phrase, 'vendors', vendor)
  return {
    rules: rules.map(({ id, class: cls, kind, effect, rank, scope, why }) => ({
      id,
      class: cls,
      kind,
      effect,
      rank,
      ...(scope === undefined ? {} : { scope }),
      why,
    })),
    conditions,
    phrases: compilePhrases([...uses.keys()]),
    uses: [...uses.values()] as PhraseUse[],
    byWord: [...byWord],
    byStatus: [...byStatus],
  }
}

function conditionOf({ says, code, status, also, vendor, notVendor }: When): Condition {
  return {
    ...(says && code ? { words: lowered(code) } : {}),
    ...(status && (says || code) ? { status } : {}),
    ...(also ? { also: lowered(also) } : {}),
    ...(vendor ? { vendor } : {}),
    ...(notVendor ? { notVendor } : {}),
  }
}

function lowered(words: readonly string[]): string[] {
  return words.map(word => word.toLowerCase())
}

function entryOf<K, V>(map: Map<K, V>, key: K, fresh: V): V {
  const entry = map.get(key) ?? fresh
  map.set(key, entry)
  return entry
}
