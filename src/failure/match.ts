import {
  type CompiledCatalogue,
  type Condition,
  type KnownRule,
  type PhraseUse,
  readRule,
  readUse,
  readWords,
  splitRules,
} from './catalogue/compiled-form.ts'
import { type Vendor, vendorsOfProvider } from './catalogue/vendor.ts'
import type { Observation, Word } from './observe/observation.ts'
import { byPrecedence, type Candidate } from './precedence.ts'
import { isName } from './text/name.ts'
import { type PhraseHit, PhraseSet } from './text/phrase-set.ts'

/** Where a rule's condition was met. */
interface Met extends Candidate {
  /** True if a whole word matched, not a phrase within it. */
  exact: boolean
}

/** A condition and its rule. Every field is always present, so all objects have one hidden class in V8. */
interface Alternative {
  readonly number: number
  readonly rule: KnownRule
  readonly words: Condition['words'] | undefined
  readonly also: Condition['also'] | undefined
  readonly status: Condition['status'] | undefined
  readonly vendor: Condition['vendor'] | undefined
  readonly notVendor: Condition['notVendor'] | undefined
}

/** What was found while matching an observation, by condition number. */
interface Found {
  met: Map<number, Met>
  /** Phrases found in codes. They count only if no rule knows the whole code. */
  inCodes: Map<number, Met> | undefined
  forbidden: Set<number> | undefined
  vendors: Vendor[]
}

/** Where something was said. */
type Place = Pick<Word, 'where' | 'depth' | 'late' | 'quoted'>

/** What was found at a place. */
type Hit = Pick<Met, 'source' | 'at' | 'end' | 'structured' | 'exact'>

/** Codes repeat, so the phrases found in them are cached: up to this many codes, up to this length. */
const MOST_CODES = 512
const LONGEST_CODE = 80

/** Catalogues that differ only in their conditions share their phrases: reading them takes most of the time. */
const PHRASE_SETS = new WeakMap<CompiledCatalogue['phrases'], PhraseSet>()

function phraseSetOf(phrases: CompiledCatalogue['phrases']): PhraseSet {
  const known = PHRASE_SETS.get(phrases)
  if (known) return known
  const made = new PhraseSet(phrases)
  PHRASE_SETS.set(phrases, made)
  return made
}

/** The catalogue, indexed: words and statuses by lookup, phrases in one pass. */
export class Matcher {
  readonly #rules: readonly string[]
  /** By condition number: its rule. */
  readonly #ruleOf: readonly number[]
  readonly #demands: ReadonlyMap<number, Condition>
  /** Built on first match: only few are ever needed. */
  readonly #alternatives: (Alternative | undefined)[]
  readonly #phrases: PhraseSet
  readonly #written: readonly string[]
  readonly #uses: (PhraseUse | undefined)[]
  readonly #byWord: ReadonlyMap<string, readonly number[]>
  readonly #byStatus: ReadonlyMap<number | string, readonly number[]>
  readonly #codes = new Map<string, readonly PhraseHit[]>()

  constructor({ rules, conditions, demands, phrases, uses, words, byStatus }: CompiledCatalogue) {
    this.#rules = splitRules(rules)
    this.#ruleOf = conditions.flatMap((count, rule) => new Array<number>(count).fill(rule))
    this.#demands = new Map(demands)
    // Allocated at full length: sparse arrays that grow turn into slow dictionaries.
    this.#alternatives = this.#ruleOf.map(() => undefined)
    this.#phrases = phraseSetOf(phrases)
    this.#written = uses
    this.#uses = uses.map(() => undefined)
    this.#byWord = readWords(words)
    this.#byStatus = new Map(byStatus)
  }

  /** Every rule that matches an observation, the deciding one first. */
  match(observation: Observation, provider: string | undefined): Candidate[] {
    const found: Found = {
      met: new Map(),
      inCodes: undefined,
      forbidden: undefined,
      vendors: [...vendorsOfProvider(provider ?? observation.process?.agent)],
    }
    this.#matchTexts(observation, found)
    this.#matchWords(observation, found)
    this.#matchStatuses(observation, found)
    const facts = new Facts(observation, found)
    const isAllowed = (condition: number) => facts.allow(this.#alternative(condition))
    if (found.inCodes) takeFromCodes(found.inCodes, found.met, isAllowed)
    const held: Met[] = []
    for (const [condition, met] of found.met) if (isAllowed(condition)) held.push(met)
    return held.sort(byPrecedence)
  }

  #alternative(number: number): Alternative {
    const known = this.#alternatives[number]
    if (known) return known
    const { words, also, status, vendor, notVendor } = this.#demands.get(number) ?? NO_DEMAND
    const rule = readRule(this.#rules[this.#ruleOf[number] as number] as string)
    const alternative = { number, rule, words, also, status, vendor, notVendor }
    this.#alternatives[number] = alternative
    return alternative
  }

  #use(phrase: number): PhraseUse {
    const known = this.#uses[phrase]
    if (known) return known
    const use = readUse(this.#written[phrase] as string)
    this.#uses[phrase] = use
    return use
  }

  #matchTexts({ texts, words }: Observation, found: Found): void {
    for (const text of texts)
      this.#take(this.#phrases.match(withoutPaths(text.value)), text.value, text, false, found)
    // Codes are words too: an unknown vendor's "ModelQuotaExceeded" is read as a phrase.
    for (const word of words) {
      if (word.raw !== undefined && word.raw.length > 3)
        this.#take(this.#matchCode(word.raw), word.raw, word, true, found)
    }
  }

  #matchCode(code: string): readonly PhraseHit[] {
    const before = this.#codes.get(code)
    if (before) return before
    const hits = this.#phrases.match(code)
    if (code.length > LONGEST_CODE) return hits
    if (this.#codes.size === MOST_CODES) this.#codes.clear()
    this.#codes.set(code, hits)
    return hits
  }

  #take(hits: readonly PhraseHit[], source: string, place: Place, structured: boolean, found: Found): void {
    if (hits.length === 0) return
    const { vendors } = found
    if (structured) found.inCodes ??= new Map()
    const met = (structured ? found.inCodes : found.met) as Map<number, Met>
    let forbiddenHere: Set<number> | undefined
    for (const { phrase } of hits) {
      const { unless, forbids, vendors: betrayed } = this.#use(phrase)
      for (const vendor of betrayed) vendors.push(vendor)
      for (const condition of forbids) {
        found.forbidden ??= new Set()
        found.forbidden.add(condition)
      }
      for (const condition of unless) {
        forbiddenHere ??= new Set()
        forbiddenHere.add(condition)
      }
    }
    for (const { phrase, start, end } of hits) {
      if (!structured && isName(source, start, end)) continue
      for (const condition of this.#use(phrase).says) {
        if (forbiddenHere?.has(condition)) continue
        this.#meet(met, condition, place, { source, at: start, end, structured, exact: false })
      }
    }
  }

  #matchWords({ words }: Observation, { met }: Found): void {
    for (const word of words)
      for (const condition of this.#byWord.get(word.value) ?? NONE)
        this.#meet(met, condition, word, wholly(word.value))
  }

  #matchStatuses({ statuses }: Observation, { met }: Found): void {
    for (const status of statuses)
      for (const condition of this.#conditionsOf(status.value))
        this.#meet(met, condition, status, wholly(String(status.value)))
  }

  /** Takes a place that meets a condition, unless it met one that would win. */
  #meet(met: Map<number, Met>, condition: number, place: Place, hit: Hit): void {
    if (isBest(met, condition, place, hit.at))
      met.set(condition, metAt(this.#alternative(condition), place, hit))
  }

  #conditionsOf(status: number): readonly number[] {
    const exact = this.#byStatus.get(status) ?? NONE
    // A vendor's special meaning of a status does not apply to other vendors.
    const isGeneral = exact.some(condition => !this.#alternative(condition).vendor)
    return isGeneral ? exact : [...exact, ...(this.#byStatus.get(hundredOf(status)) ?? NONE)]
  }
}

const NO_DEMAND: Condition = {}
const NONE: readonly number[] = []

const ADDRESS = /\b(https?:\/\/[^\s/"'<>()]{1,200})(\/[^\s"'<>()]{1,2000})/g

/** A counter that counted nothing. */
const NONE_OF_IT = /\b[a-z_]{3,24}=0(?![\w.])/gi

/** Blanks out URL paths, because refusals of every kind link to a page about rate limits, and counts such as `unreachable=0`. */
function withoutPaths(written: string): string {
  const text = written.includes('=0')
    ? written.replaceAll(NONE_OF_IT, count => ' '.repeat(count.length))
    : written
  if (!text.includes('://')) return text
  return text.replaceAll(ADDRESS, (_whole, host: string, path: string) => host + '/'.repeat(path.length))
}

/** A field or a status that matched as a whole. */
function wholly(source: string): Hit {
  return { source, at: 0, end: source.length, structured: true, exact: true }
}

function metAt({ rule, words, status }: Alternative, place: Place, hit: Hit): Met {
  const { where, depth, late, quoted } = place
  const { source, at, end, structured, exact } = hit
  const coded = words !== undefined || status !== undefined
  return { rule, where, source, at, end, depth, structured, exact, late, quoted, coded }
}

/** Ignores phrases in a code that a rule knows as a whole: `session_quota_exceeded` may not be about a quota. */
function takeFromCodes(
  inCodes: ReadonlyMap<number, Met>,
  met: Map<number, Met>,
  isAllowed: (condition: number) => boolean,
): void {
  const known = new Set<string>()
  for (const [condition, { exact, where }] of met) if (exact && isAllowed(condition)) known.add(where)
  for (const [condition, inCode] of inCodes) {
    if (known.has(inCode.where)) continue
    const best = met.get(condition)
    // A field of the provider proves more than a text beside it.
    const isTyped = best?.structured === false && best.late === inCode.late && best.depth === inCode.depth
    if (isTyped || isBest(met, condition, inCode, inCode.at)) met.set(condition, inCode)
  }
}

/** Of several places that meet a condition, the one that would win: not late, deepest, last. */
function isBest(met: ReadonlyMap<number, Met>, condition: number, place: Place, at: number): boolean {
  const best = met.get(condition)
  if (!best) return true
  if (place.late !== best.late) return best.late
  return place.depth > best.depth || (place.depth === best.depth && at > best.at)
}

/** Checks a condition's further demands: what else must hold, and what must not. */
class Facts {
  readonly #observation: Observation
  readonly #found: Found
  #words: Set<string> | undefined

  constructor(observation: Observation, found: Found) {
    this.#observation = observation
    this.#found = found
  }

  allow(alternative: Alternative): boolean {
    const { forbidden, vendors } = this.#found
    const { words, also, status, vendor, notVendor } = alternative
    if (forbidden?.has(alternative.number)) return false
    if (words && !words.some(word => this.#hasWord(word))) return false
    if (also && !also.some(word => this.#hasWord(word))) return false
    if (vendor && !vendor.some(name => vendors.includes(name))) return false
    if (notVendor?.some(name => vendors.includes(name))) return false
    return !status || status.some(wanted => this.#hasStatus(wanted))
  }

  /** Built lazily: few conditions ask. */
  #hasWord(word: string): boolean {
    this.#words ??= new Set(this.#observation.words.map(({ value }) => value))
    return this.#words.has(word)
  }

  #hasStatus(wanted: number | string): boolean {
    return this.#observation.statuses.some(({ value }) => value === wanted || hundredOf(value) === wanted)
  }
}

function hundredOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}
