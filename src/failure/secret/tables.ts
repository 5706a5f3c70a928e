import { looksRandom } from './mixed.ts'
import type { Span } from './span.ts'

/** What separates columns: `|`, `,`, `;` or a tab. */
const SEPARATORS = ['|', ',', ';', '\t']
const LONGEST_LINE = 2_000
const MOST_ROWS = 500
/** How many columns of one table may hold secrets. */
const MOST_COLUMNS = 4
/** A name of a column: a word or two, perhaps quoted. */
const HEADING = /^\s{0,40}["']?[\p{L}_][\p{L}\w .-]{0,30}["']?\s{0,40}$/u
/** A ruler under the heading: `|---|---|`, `----+-----`. */
const RULER = /^[\s|+:-]{3,}$/

/**
 * Finds the values under a heading that names a secret, in CSV, in a table of Markdown or of a database's shell. Every line of a
 * table has the same number of separators. One instance per text: it does not read the lines of a table again for names in them.
 */
export class Tables {
  readonly #text: string
  #heading = 0
  #end = 0
  #left = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The column under the name from `start` to `end`; nothing if it is no heading. */
  under(start: number, end: number, spans: Span[]): void {
    const text = this.#text
    if (start < this.#end && (start > this.#heading || this.#left === 0)) return
    const before = text.slice(Math.max(0, start - LONGEST_LINE), start)
    const lineStart = start - before.length + before.lastIndexOf('\n') + 1
    const lineEnd = lineEndOf(text, end)
    if (lineEnd === undefined || (lineStart === start - LONGEST_LINE && text[lineStart - 1] !== '\n')) return
    const head = text.slice(lineStart, lineEnd)
    const separator = SEPARATORS.find(char => head.includes(char))
    if (separator === undefined) return
    const names = head
      .trim()
      .replace(/^\||\|$/g, '')
      .split(separator)
    if (names.length < 2 || !names.every(name => HEADING.test(name))) return
    // A line of code may be names and commas, or names and bars, but has no ruler under it.
    const below = text.slice(lineEnd + 1, lineEndOf(text, lineEnd + 1) ?? lineEnd + 1)
    if (separator === '|' && !RULER.test(below)) return
    this.#left = start < this.#end ? this.#left - 1 : MOST_COLUMNS
    this.#heading = lineEnd
    const column = head.slice(0, start - lineStart).split(separator).length - 1
    this.#end = rowsOf(text, lineEnd + 1, separator, { column, columns: head.split(separator).length }, spans)
  }
}

function rowsOf(
  text: string,
  from: number,
  separator: string,
  { column, columns }: { column: number; columns: number },
  spans: Span[],
): number {
  let at = from
  for (let row = 0; row < MOST_ROWS && at < text.length; row++) {
    const end = lineEndOf(text, at) ?? (text.length - at < LONGEST_LINE ? text.length : at)
    const line = text.slice(at, end)
    const cells = line.split(separator)
    if (!RULER.test(line)) {
      if (cells.length !== columns) break
      const value = (cells[column] as string).trim()
      const begins = at + line.indexOf(value, cells.slice(0, column).join(separator).length)
      if (looksRandom(value, 6) && !/\s|^["']?\*{3}/.test(value))
        spans.push({ start: begins, end: begins + value.length })
    }
    at = end + 1
  }
  return at
}

/** Where the line ends, if within reach. */
function lineEndOf(text: string, from: number): number | undefined {
  const end = text.slice(from, from + LONGEST_LINE).indexOf('\n')
  return end < 0 ? undefined : from + end
}
