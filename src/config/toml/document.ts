import { parse, TomlError } from 'smol-toml'
import { ConfigError } from '../error.ts'
import type { PositionNode } from './position.ts'
import { scanPositions } from './scan.ts'
import { syntaxInWords } from './syntax-words.ts'

/** A parsed file, and the position of everything in it. */
export interface Document {
  value: Record<string, unknown>
  places: PositionNode
}

/** Checking more would take seconds, and whoever wrote the file must not decide how long that is. */
const MOST_VALUES = 20_000

/** Parses TOML. Throws {@link ConfigError} with the position of a syntax error. */
export function parseDocument(text: string, file: string): Document {
  const value = parseToml(text, file)
  if (countOf(value, MOST_VALUES) > MOST_VALUES)
    throw new ConfigError(file, `has more than ${MOST_VALUES} values; at most that many are read`)
  try {
    return { value, places: scanPositions(text) }
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(file, error) : error
  }
}

/** Only the values. Throws {@link ConfigError} like {@link parseDocument}. */
export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(file, error)
    if (!(error instanceof TomlError)) throw error
    const [first = ''] = error.message.split('\n')
    const place = { line: error.line, column: error.column }
    const line = text.split('\n', error.line)[error.line - 1] ?? ''
    const message = syntaxInWords(first.replace(/^Invalid TOML document: /, ''), line)
    throw new ConfigError(file, [{ file, ...place, path: '', message }], { cause: error })
  }
}

/** How many keys and items there are; stops soon after `most`. */
function countOf(value: object, most: number): number {
  let count = 0
  for (const inner of Object.values(value)) {
    count += 1 + (typeof inner === 'object' && inner !== null ? countOf(inner, most - count) : 0)
    if (count > most) break
  }
  return count
}

/** Too deep nesting makes the parser run out of stack. */
function tooDeep(file: string, cause: RangeError): ConfigError {
  return new ConfigError(file, 'is nested too deep', { cause })
}
