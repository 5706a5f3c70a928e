import { nearestOrKnown } from '../option/nearest.ts'
import { type Mistake, subjectOf } from './issue.ts'
import type { Path } from './toml/position.ts'

/** A table of the file before it is known to be valid. */
export type Entry = Readonly<Record<string, unknown>>

/** The config for checks across values. Works on what is written, not on what was parsed, so one mistake does not hide others. */
export class Checked {
  readonly mistakes: Mistake[] = []
  readonly #written: Entry

  constructor(written: Entry) {
    this.#written = written
  }

  /** The tables of a list, with their paths; anything else is skipped. */
  entries(list: string, within: Entry = this.#written, path: Path = []): { entry: Entry; path: Path }[] {
    const entries = within[list]
    if (!Array.isArray(entries)) return []
    return entries.flatMap((entry: unknown, index) =>
      isEntry(entry) ? [{ entry, path: [...path, list, index] }] : [],
    )
  }

  table(key: string, within: Entry = this.#written): Entry | undefined {
    const table = within[key]
    return isEntry(table) ? table : undefined
  }

  ids(list: string, key = 'id'): string[] {
    return this.entries(list).flatMap(({ entry }) => (typeof entry[key] === 'string' ? [entry[key]] : []))
  }

  mistake(path: Path, message: string): void {
    this.mistakes.push({ path, message: `${subjectOf(path, this.#written)} ${message}` })
  }

  /** Checks that exactly one of these keys is given; at most one if not needed. */
  oneOf(entry: Entry, path: Path, keys: readonly string[], isNeeded = true): void {
    const given = keys.filter(key => entry[key] !== undefined)
    const names = keys.map(key => JSON.stringify(key)).join(' or ')
    if (given.length === 0 && isNeeded) this.mistake(path, `needs one of ${names}`)
    else if (given.length > 1)
      this.mistake([...path, given[1] as string], `conflicts with "${given[0]}"; give only one of ${names}`)
  }

  /** Checks that the key refers to something that exists. */
  refersTo(entry: Entry, path: Path, key: string, list: string): void {
    const name = entry[key]
    if (typeof name === 'string') this.exists(name, [...path, key], list)
  }

  exists(name: string, path: Path, list: string, key = 'id'): void {
    this.isOneOf(name, path, list, this.ids(list, key))
  }

  /** Checks that a name is one of these; `list` says what they are. */
  isOneOf(name: string, path: Path, list: string, known: readonly string[]): void {
    if (known.includes(name)) return
    const remedy = nearestOrKnown(name, known, `the config has no [[${list}]]`)
    this.mistake(path, `refers to unknown ${list} ${JSON.stringify(name)}; ${remedy}`)
  }

  /** Checks that no two entries of a list have the same name. */
  distinct(entries: readonly { entry: Entry; path: Path }[], key: string): void {
    const seen = new Set<unknown>()
    for (const { entry, path } of entries) {
      const name = entry[key]
      if (typeof name !== 'string') continue
      if (seen.has(name)) this.mistake([...path, key], `${JSON.stringify(name)} is defined twice`)
      seen.add(name)
    }
  }
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
