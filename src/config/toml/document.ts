import { parse, TomlError } from 'smol-toml'
import { ConfigError } from '../error.ts'
import type { PlaceNode } from './place.ts'
import { scanPlaces } from './scan.ts'

/** A parsed file, and where in it everything stands. */
export interface Document {
  value: Record<string, unknown>
  places: PlaceNode
}

/** Parses TOML. Throws {@link ConfigError} naming the place of what is no TOML. */
export function parseDocument(text: string, file: string): Document {
  const value = parseToml(text, file)
  try {
    return { value, places: scanPlaces(text) }
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(file, error) : error
  }
}

/** The values alone. Throws {@link ConfigError} as {@link parseDocument} does. */
export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(file, error)
    if (!(error instanceof TomlError)) throw error
    const [first = ''] = error.message.split('\n')
    const message = first.replace(/^Invalid TOML document: /, '')
    const place = { line: error.line, column: error.column }
    throw new ConfigError(file, [{ file, ...place, path: '', message }], { cause: error })
  }
}

/** Parsers give up on what is nested too deep by running out of stack. */
function tooDeep(file: string, cause: RangeError): ConfigError {
  return new ConfigError(file, 'is nested too deep', { cause })
}
