import { compilePhrases } from '../text/compile-phrases.ts'
import {
  type CompiledCatalogue,
  type Condition,
  type PhraseUse,
  writeRules,
  writeUse,
  writeWords,
} from './compiled-form.ts'
import type { Rule, When } from './rule.ts'
import { VENDOR_PHRASES, type Vendor } from './vendor.ts'

type Uses = { [use in keyof PhraseUse]: PhraseUse[use][number][] }

/** Compiles rules into the form that the matcher uses. */
export function compileCatalogue(rules: readonly Rule[]): CompiledCatalogue {
  const uses = new Map<string, Uses>()
  const words: string[][] = []
  const byStatus = new Map<number | string, number[]>()
  let conditions = 0
  const demands: [number, Condition][] = []
  const usesOf = (phrase: string) => entryOf(uses, phrase, { says: [], unless: [], forbids: [], vendors: [] })
  for (const rule of rules) {
    for (const when of rule.when) {
      const condition = conditions++
      words.push([])
      const demand = demandOf(when)
      if (Object.keys(demand).length > 0) demands.push([condition, demand])
      for (const phrase of when.unless ?? []) usesOf(phrase)[when.says ? 'unless' : 'forbids'].push(condition)
      // Looked up by the first of these that it has; the others must hold too.
      if (when.says) for (const phrase of when.says) usesOf(phrase).says.push(condition)
      else if (when.code) words[condition] = lowered(when.code)
      else for (const status of when.status ?? []) entryOf(byStatus, status, []).push(condition)
    }
  }
  for (const { vendor, phrase } of VENDOR_PHRASES) usesOf(phrase).vendors.push(vendor satisfies Vendor)
  return {
    rules: writeRules(rules),
    conditions: rules.map(({ when }) => when.length),
    demands,
    phrases: compilePhrases([...uses.keys()]),
    uses: Array.from(uses.values(), writeUse),
    words: writeWords(words),
    byStatus: [...byStatus],
  }
}

function demandOf({ says, code, status, also, vendor, notVendor }: When): Condition {
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
