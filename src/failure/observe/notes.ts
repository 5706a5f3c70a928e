import { snakeCase } from './fields.ts'
import { emptyObservation, type Observation } from './observation.ts'

/** Where something was said: the path to it, how many wrappers are around it, and whether it is only a banner. */
export interface Place {
  where: string
  depth: number
  late: boolean
}

/** Writes down what is said, in the forms that rules ask for. */
export class Notes {
  readonly observation: Observation

  constructor(observation: Observation = emptyObservation()) {
    this.observation = observation
  }

  text(value: string, { where, depth, late }: Place): void {
    if (value.trim() !== '') this.observation.texts.push({ value, where, depth, late })
  }

  /** A word that names something; with its field also as `field=value`. */
  word(raw: string, place: Place, field?: string): void {
    const value = raw.trim().toLowerCase()
    if (value === '') return
    this.#push(value, place, raw)
    if (field) this.named(`${snakeCase(field)}=${value}`, place)
  }

  /** A word that means something only with its field. */
  scoped(field: string, raw: string, place: Place): void {
    const value = raw.trim().toLowerCase()
    this.named(`${snakeCase(field)}=${value}`, place)
    // google.rpc puts its code words into `status`; other APIs put lifecycle words there.
    if (/^[A-Z][A-Z]+(_[A-Z]+)*$/.test(raw)) this.#push(value, place, raw)
  }

  /** A message that is nothing but a word or two is as good as a code. */
  wholeMessage(field: string, value: string, place: Place): void {
    if (value.length > 80) return
    const [, words] = /^[\s"']*(\w(?:[\w ]{0,38}\w)?)[.!]?[\s"']*$/.exec(value) ?? []
    if (words) this.scoped(field, words, place)
  }

  number(field: string, value: number, place: Place): void {
    this.named(`${snakeCase(field)}=${value}`, place)
    if (value < 0 || value > 599) this.named(String(value), place)
  }

  /** A word in its final form, `family=value`. */
  named(value: string, place: Place): void {
    this.#push(value, place)
  }

  status(value: number, { where, depth, late }: Place): void {
    this.observation.statuses.push({ value, where, depth, late })
  }

  wait(key: string, value: string | number, { where, late }: Place): void {
    this.observation.waits.push({ key, value, where, late })
  }

  #push(value: string, { where, depth, late }: Place, raw?: string): void {
    this.observation.words.push({ value, ...(raw === undefined ? {} : { raw }), where, depth, late })
  }
}

/** True for the same place in a later element of a list: `errors[1].headers` after `errors[0].headers`. */
export function isLaterTry(where: string, before: string): boolean {
  return where !== before && withoutIndexes(where) === withoutIndexes(before)
}

/** A place without the numbers of its elements. */
export function withoutIndexes(where: string): string {
  return where.replaceAll(/\[\d+\]/g, '[]')
}
