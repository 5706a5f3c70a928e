import type { FailureOrigin } from '../failure.ts'
import type { CompiledPhrases } from '../text/compiled-phrases.ts'
import { meaningIn, type Rule, type When, writeMeaning } from './rule.ts'
import type { Vendor } from './vendor.ts'

/** A rule without its conditions and examples. */
export interface KnownRule
  extends Omit<Rule, 'when' | 'why' | 'example' | 'exampleProvider' | 'exampleReturned'> {
  /** Set by the rules in own.ts: what a reader is told. Reasons of the catalogue's rules are in reasons.ts. */
  readonly why?: string
  /** Set by the rules in own.ts, which are not part of the catalogue. */
  readonly origin?: FailureOrigin
}

/** What must hold besides the word, status or phrase that a condition was looked up by. */
export interface Condition extends Pick<When, 'also' | 'vendor' | 'notVendor' | 'status'> {
  /** One of these words must be present. */
  readonly words?: readonly string[]
}

/** What a phrase is used for, as condition numbers. */
export interface PhraseUse {
  /** Conditions that the phrase meets. */
  readonly says: readonly number[]
  /** Conditions that no phrase in the same text may then meet. */
  readonly unless: readonly number[]
  /** Conditions that nothing may then meet. */
  readonly forbids: readonly number[]
  /** Vendors that the phrase identifies. */
  readonly vendors: readonly Vendor[]
}

/**
 * The catalogue in the form that the matcher uses: words, statuses and phrases lead to conditions, conditions to
 * rules, each by number. Plain data without examples, so a build can prepare it and it loads
 * fast; parts encoded as text are decoded on first use.
 */
export interface CompiledCatalogue {
  /** The id of each rule, and its meaning as pages write it, encoded by {@link writeRules}. */
  readonly rules: string
  /** How many conditions each rule has. They are numbered in the order of the rules. */
  readonly conditions: readonly number[]
  /** Further demands of the few conditions that have some. */
  readonly demands: readonly (readonly [condition: number, demand: Condition])[]
  readonly phrases: CompiledPhrases
  /** By phrase number: its uses, encoded by {@link writeUse}. */
  readonly uses: readonly string[]
  /** By condition number: the words that lead to it, encoded by {@link writeWords}. */
  readonly words: string
  readonly byStatus: readonly (readonly [number | string, readonly number[]])[]
}

/** The name of a page stands only before its first rule, and `=` for a kind that the rule is named after: they compress better. */
export function writeRules(rules: readonly Rule[]): string {
  let page = ''
  return rules
    .map(rule => {
      const dot = Math.max(0, rule.id.indexOf('.'))
      const id = rule.id.slice(0, dot) === page ? rule.id.slice(dot) : rule.id
      page = rule.id.slice(0, dot)
      const meaning = writeMeaning(rule)
      return `${id} ${rule.id.endsWith(`.${rule.kind}`) ? meaning.replace(rule.kind, '=') : meaning}`
    })
    .join(',')
}

/** The rules one by one, for {@link readRule}. */
export function splitRules(written: string): string[] {
  let page = ''
  return written.split(',').map(rule => {
    const whole = rule.startsWith('.') ? page + rule : rule
    page = whole.slice(0, whole.indexOf('.'))
    return whole
  })
}

export function readRule(written: string): KnownRule {
  const space = written.indexOf(' ')
  const id = written.slice(0, space)
  const name = id.slice(id.indexOf('.') + 1)
  return { id, ...meaningIn(written.slice(space + 1).replace(/^=/, name)) }
}

/** Words of one field stand together, because they compress better: `code=1|2;timeout|error=3`. */
export function writeWords(words: readonly (readonly string[])[]): string {
  return words.map(writeFields).join(',')
}

function writeFields(words: readonly string[]): string {
  const byField = new Map<string, string[]>()
  for (const word of words) {
    const value = word.indexOf('=') + 1
    const field = word.slice(0, value)
    byField.set(field, [...(byField.get(field) ?? []), word.slice(value)])
  }
  return Array.from(byField, ([field, values]) => field + values.join('|')).join(';')
}

/** The conditions that a word leads to, by word. */
export function readWords(written: string): Map<string, number[]> {
  const byWord = new Map<string, number[]>()
  written.split(',').forEach((words, condition) => {
    if (words === '') return
    for (const ofField of words.split(';')) {
      const start = ofField.indexOf('=') + 1
      const field = ofField.slice(0, start)
      for (const value of ofField.slice(start).split('|')) {
        const word = field + value
        const others = byWord.get(word)
        if (others) others.push(condition)
        else byWord.set(word, [condition])
      }
    }
  })
  return byWord
}

/** Lists are separated by `|`; empty lists at the end are left out. */
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

/** Keeps the many numbers short. */
const RADIX = 36

function inDigits(numbers: readonly number[]): string {
  return numbers.map(number => number.toString(RADIX)).join(' ')
}

function readNumbers(written: string): number[] {
  return written === '' ? [] : written.split(' ').map(digits => Number.parseInt(digits, RADIX))
}
