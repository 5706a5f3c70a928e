import type { Rule, When } from './catalogue/rule.ts'
import { VENDOR_PHRASES, type Vendor, vendorsOfProvider } from './catalogue/vendor.ts'
import type { Observation } from './observe/observation.ts'
import { byPrecedence, type Candidate, type Match } from './precedence.ts'
import { PhraseSet } from './text/phrase-set.ts'

interface Met extends Match {
  /** The whole of a word, not a phrase in it. */
  exact: boolean
}

interface Alternative {
  rule: Rule
  when: When
}

type PhraseUse =
  | { role: 'says'; alternative: Alternative }
  | { role: 'unless'; alternative: Alternative }
  | { role: 'vendor'; vendor: Vendor }

/** The catalogue, indexed: words and statuses by lookup, phrases in one pass. */
export class Matcher {
  readonly #phrases: PhraseSet
  readonly #uses: PhraseUse[][] = []
  readonly #byWord = new Map<string, Alternative[]>()
  readonly #byStatus = new Map<number | string, Alternative[]>()

  constructor(rules: readonly Rule[]) {
    const index = new Map<string, number>()
    const use = (phrase: string, how: PhraseUse) => {
      const at = index.get(phrase) ?? index.size
      index.set(phrase, at)
      this.#uses[at] ??= []
      this.#uses[at].push(how)
    }
    for (const rule of rules) {
      for (const when of rule.when) {
        const alternative = { rule, when }
        for (const phrase of when.says ?? []) use(phrase, { role: 'says', alternative })
        for (const phrase of when.unless ?? []) use(phrase, { role: 'unless', alternative })
        if (when.says) continue
        for (const word of when.code ?? []) push(this.#byWord, word.toLowerCase(), alternative)
        if (when.code) continue
        for (const status of when.status ?? []) push(this.#byStatus, status, alternative)
      }
    }
    for (const { vendor, phrase } of VENDOR_PHRASES) use(phrase, { role: 'vendor', vendor })
    this.#phrases = new PhraseSet([...index.keys()])
  }

  /** Everything that the catalogue recognises in an observation, the decisive one first. */
  match(observation: Observation, provider: string | undefined): Candidate[] {
    const met = new Map<Alternative, Met>()
    const forbidden = new Set<Alternative>()
    const vendors = new Set(vendorsOfProvider(provider))
    this.#matchTexts(observation, met, forbidden, vendors)
    this.#matchWords(observation, met)
    this.#matchStatuses(observation, met)
    const facts = {
      words: new Set(observation.words.map(word => word.value)),
      statuses: observation.statuses,
      vendors,
    }
    const held = [...met].filter(
      ([alternative]) => !forbidden.has(alternative) && holds(alternative.when, facts),
    )
    const known = placesOfKnownCodes(held)
    return held
      .filter(([, place]) => !(place.structured && !place.exact && known.has(place.where)))
      .map(([{ rule }, place]) => ({ rule, ...place }))
      .sort(byPrecedence)
  }

  #matchTexts(
    observation: Observation,
    met: Map<Alternative, Met>,
    forbidden: Set<Alternative>,
    vendors: Set<Vendor>,
  ): void {
    // Codes are words too: an unknown vendor's "ModelQuotaExceeded" reads as a phrase.
    const codes = observation.words.filter(word => word.raw !== undefined && word.raw.length > 3)
    const sources = [
      ...observation.texts.map(text => ({ ...text, structured: false })),
      ...codes.map(word => ({ ...word, value: word.raw as string, structured: true })),
    ]
    for (const { value, where, depth, structured, late } of sources) {
      const hits = this.#phrases.match(this.#phrases.tokenize(value))
      const forbiddenHere = new Set<Alternative>()
      for (const use of hits.flatMap(({ phrase }) => this.#uses[phrase] as PhraseUse[])) {
        if (use.role === 'vendor') vendors.add(use.vendor)
        else if (use.role === 'unless') forbiddenHere.add(use.alternative)
      }
      for (const { phrase, start, end } of hits) {
        for (const use of this.#uses[phrase] as PhraseUse[]) {
          if (use.role !== 'says' || forbiddenHere.has(use.alternative)) continue
          keepBest(met, use.alternative, {
            where,
            source: value,
            at: start,
            end,
            depth,
            structured,
            exact: false,
            late,
          })
        }
      }
      for (const alternative of forbiddenHere) if (!alternative.when.says) forbidden.add(alternative)
    }
  }

  #matchWords(observation: Observation, met: Map<Alternative, Met>): void {
    for (const { value, where, depth, late } of observation.words) {
      for (const alternative of this.#byWord.get(value) ?? []) {
        keepBest(met, alternative, {
          where,
          source: value,
          at: 0,
          end: value.length,
          depth,
          structured: true,
          exact: true,
          late,
        })
      }
    }
  }

  #matchStatuses(observation: Observation, met: Map<Alternative, Met>): void {
    for (const { value, where, depth, late } of observation.statuses) {
      const hundred = `${Math.floor(value / 100)}xx`
      const source = String(value)
      const exact = this.#byStatus.get(value) ?? []
      // What some vendors mean by a status says nothing where another one sent it.
      const general = exact.some(({ when }) => !when.vendor) ? [] : (this.#byStatus.get(hundred) ?? [])
      for (const alternative of [...exact, ...general]) {
        keepBest(met, alternative, {
          where,
          source,
          at: 0,
          end: source.length,
          depth,
          structured: true,
          exact: true,
          late,
        })
      }
    }
  }
}

/** A code that a rule knows as a whole is not read as words too: `session_quota_exceeded` may be no quota. */
function placesOfKnownCodes(held: readonly [Alternative, Met][]): Set<string> {
  return new Set(held.filter(([, { exact }]) => exact).map(([, { where }]) => where))
}

/** Of several places that meet a condition, the one that would win: not late, deepest, last. */
function keepBest(met: Map<Alternative, Met>, alternative: Alternative, place: Met): void {
  const best = met.get(alternative)
  const better =
    !best ||
    Number(place.late) - Number(best.late) < 0 ||
    (place.late === best.late &&
      (place.depth > best.depth || (place.depth === best.depth && place.at > best.at)))
  if (better) met.set(alternative, place)
}

interface Facts {
  words: ReadonlySet<string>
  statuses: readonly { value: number }[]
  vendors: ReadonlySet<Vendor>
}

function holds(when: When, { words, statuses, vendors }: Facts): boolean {
  if (when.says && when.code && !when.code.some(word => words.has(word.toLowerCase()))) return false
  if (when.also && !when.also.every(word => words.has(word.toLowerCase()))) return false
  if (when.vendor && !when.vendor.some(vendor => vendors.has(vendor))) return false
  if (when.notVendor?.some(vendor => vendors.has(vendor))) return false
  const byOther = when.says ?? when.code
  if (!when.status || !byOther) return true
  return when.status.some(wanted =>
    statuses.some(({ value }) => value === wanted || `${Math.floor(value / 100)}xx` === wanted),
  )
}

function push<K>(map: Map<K, Alternative[]>, key: K, alternative: Alternative): void {
  const list = map.get(key)
  if (list) list.push(alternative)
  else map.set(key, [alternative])
}
