import type { FieldMeaning } from './fields.ts'
import type { Observation } from './observation.ts'

/** Where something was said: its path, its depth in wrappers, and whether it was only a banner. */
export interface Place {
  where: string
  depth: number
  late: boolean
  /** True inside JSON that stood in a text. */
  quoted?: boolean | undefined
}

/** Records what an input says, in the forms that rules test. */
export class Notes {
  readonly observation: Observation

  constructor(observation: Observation = emptyObservation()) {
    this.observation = observation
  }

  text(value: string, { where, depth, late }: Place, isSorted = false): void {
    if (value.trim() !== '')
      this.observation.texts.push({ value: withoutMarks(value), where, depth, late, isSorted })
  }

  /** A word that names something; if its field is known, also `field=value`. */
  word(raw: string, { where, depth, late, quoted }: Place, field?: FieldMeaning): void {
    const value = raw.trim().toLowerCase()
    if (value === '') return
    const { words } = this.observation
    words.push({ value, raw, where, depth, late, quoted })
    if (field) words.push({ value: `${field.snake}=${value}`, raw: undefined, where, depth, late, quoted })
  }

  /** A word that means something only with its field. */
  scoped(field: FieldMeaning, raw: string, place: Place): void {
    this.named(`${field.snake}=${raw.trim().toLowerCase()}`, place)
    // google.rpc puts code words in `status`; other APIs put lifecycle words there.
    if (/^[A-Z][A-Z]+(_[A-Z]+)*$/.test(raw)) this.word(raw, place)
  }

  /** A message of only one or two words is as good as a code. */
  wholeMessage(field: FieldMeaning, value: string, at: Place): void {
    if (value.length > 80) return
    // A single word is as good as a code, also for its author.
    const place = /^[A-Za-z]\w*$/.test(value) ? at : { ...at, quoted: true }
    if (/^\s*[45]\d\d\s*$/.test(value)) this.status(Number(value), place)
    const words = /^[\s"']*(\w(?:[\w ]{0,38}\w)?)[.!]?[\s"']*$/.exec(value)?.[1]
    if (words) this.scoped(field, words, place)
  }

  number(field: FieldMeaning, value: number, place: Place): void {
    this.named(`${field.snake}=${value}`, place)
    if (value < 0 || value > 599) this.named(String(value), place)
  }

  /** A word in its final form, `family=value`. */
  named(value: string, { where, depth, late, quoted }: Place): void {
    // With all fields, as above: V8 is slower with objects that differ in theirs.
    this.observation.words.push({ value, raw: undefined, where, depth, late, quoted })
  }

  status(value: number, { where, depth, late, quoted }: Place): void {
    this.observation.statuses.push({ value, where, depth, late, quoted })
  }

  wait(key: string, value: string | number, { where, late, quoted }: Place): void {
    this.observation.waits.push({ key, value, where, late, quoted })
  }
}

const NO_HEADERS = new Map<string, never>()

export function emptyObservation(): Observation {
  return {
    source: 'text',
    words: [],
    statuses: [],
    texts: [],
    heard: [],
    headers: NO_HEADERS,
    toldHeaders: NO_HEADERS,
    waits: [],
    phases: [],
  }
}

/** Python 2 prefixes its strings with `u`, which would become part of their first word. */
function withoutMarks(text: string): string {
  if (!text.includes("u'") && !text.includes('u"')) return text
  return text.replaceAll(/(?<=[{[(:,] ?)u(?=['"])/g, '')
}

/** True for the same place in a later list element: `errors[1].headers` after `errors[0].headers`. */
export function isLaterTry(where: string, before: string): boolean {
  return where !== before && withoutIndexes(where) === withoutIndexes(before)
}

/** A path without its list indexes. */
export function withoutIndexes(where: string): string {
  return where.replaceAll(/\[\d+\]/g, '[]')
}
