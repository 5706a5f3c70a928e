import type { FailureOrigin } from '../failure.ts'
import type { CompiledPhrases } from '../text/compiled-phrases.ts'
import type { Rule, When } from './rule.ts'
import type { Vendor } from './vendor.ts'

/** What stays of a rule when its conditions stand elsewhere. */
export interface KnownRule
  extends Omit<Rule, 'when' | 'why' | 'example' | 'exampleProvider' | 'exampleReturned'> {
  /** For the rules in own.ts: what a reader is told. Those of the catalogue stand in reasons.ts. */
  readonly why?: string
  /** For the rules in own.ts, which no condition leads to and no catalogue holds. */
  readonly origin?: FailureOrigin
}

/** What has to hold beside the word, status or phrase that a condition was looked up by. */
export interface Condition extends Pick<When, 'also' | 'vendor' | 'notVendor' | 'status'> {
  /** One of these words has to be there. */
  readonly words?: readonly string[]
}

/** What a phrase is used for, conditions by their numbers. */
export interface PhraseUse {
  /** Conditions that it meets. */
  readonly says: readonly number[]
  /** Conditions that no phrase in the same text meets. */
  readonly unless: readonly number[]
  /** Conditions that nothing meets. */
  readonly forbids: readonly number[]
  /** Vendors that it betrays. */
  readonly vendors: readonly Vendor[]
}

/** A rule as its id, class, kind, effect and rank, and its scope if it has one. */
export type RuleRow = readonly [
  KnownRule['id'],
  KnownRule['class'],
  KnownRule['kind'],
  KnownRule['effect'],
  KnownRule['rank'],
  KnownRule['scope']?,
]

/**
 * The catalogue in the form that the matcher uses: words, statuses and phrases lead to conditions, conditions to
 * rules, each by its number. Plain data and no examples, so that a build can make it beforehand and loading it takes
 * little; what is written as text is read when it is first needed.
 */
export interface CompiledCatalogue {
  readonly rules: readonly RuleRow[]
  /** At the number of a condition, its rule. */
  readonly conditions: readonly number[]
  /** What conditions ask for besides, for the few that do. */
  readonly demands: readonly (readonly [condition: number, demand: Condition])[]
  readonly phrases: CompiledPhrases
  /** At the number of a phrase, its uses, as {@link writeUse} writes them. */
  readonly uses: readonly string[]
  /** At the number of a condition, the words that lead to it, as {@link writeWords} writes them. */
  readonly words: readonly string[]
  readonly byStatus: readonly (readonly [number | string, readonly number[]])[]
}

export function writeRule({ id, class: cls, kind, effect, rank, scope }: Rule): RuleRow {
  return scope === undefined ? [id, cls, kind, effect, rank] : [id, cls, kind, effect, rank, scope]
}

export function readRule([id, cls, kind, effect, rank, scope]: RuleRow): KnownRule {
  const rule = { id, class: cls, kind, effect, rank }
  return scope === undefined ? rule : { ...rule, scope }
}

/** Words hold no `|`; most conditions have none. */
export function writeWords(words: readonly string[]): string {
  return words.join('|')
}

/** The conditions that a word leads to, by word. */
export function readWords(written: readonly string[]): Map<string, number[]> {
  const byWord = new Map<string, number[]>()
  written.forEach((words, condition) => {
    if (words === '') return
    for (const word of words.split('|')) {
      const others = byWord.get(word)
      if (others) others.push(condition)
      else byWord.set(word, [condition])
    }
  })
  return byWord
}

/** Lists are apart by `|`, those that are empty at the end are left out. */
export function writeUse({ says, unless, forbids, vendors }: PhraseUse): string {
  return [inDigits(says), inDigits(unless), inDigits(forbids), vendors.join(' ')]
    .join('|')
    .replace(/\|+$/, '')
}

export function readUse(written: string): PhraseUse {
  const [says = '', unless = '', forbids = '', vendors = ''] = written.split('|')
  return {
    says: readNumbers(says),
    unless: readNumbers(unless),
    forbids: readNumbers(forbids),
    vendors: vendors === '' ? NO_VENDORS : (vendors.split(' ') as Vendor[]),
  }
}

const NO_VENDORS: readonly Vendor[] = []

/** So that the numbers, of which there are many, are short. */
const RADIX = 36

function inDigits(numbers: readonly number[]): string {
  return numbers.map(number => number.toString(RADIX)).join(' ')
}

function readNumbers(written: string): number[] {
  return written === '' ? [] : written.split(' ').map(digits => Number.parseInt(digits, RADIX))
}
