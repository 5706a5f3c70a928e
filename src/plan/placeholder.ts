/** Where a value comes from: `params.repo`, `results.build.images[0]`. */
export interface Source {
  /** The parameters of the run, or the result of a step. */
  of: 'params' | 'results'
  /** The step, for a result. */
  step?: string
  /** Path to the value: names of fields and indexes of lists. */
  path: readonly (string | number)[]
}

/** A part of a text: literal text, or the source of a placeholder. */
export type TextPart = string | Source

const NAME = '[A-Za-z_][\\w-]*'
const REST = `(?:\\.${NAME}|\\[\\d+\\])*`
/** Pattern of a source. */
export const SOURCE = `params${REST}|results\\.${NAME}${REST}`
const PLACEHOLDERS = new RegExp(`\\{\\{(${SOURCE})\\}\\}|\\{(${SOURCE})\\}`, 'g')
const ALMOST = /\{((?:params|results)\b[^{}]*)\}/g

/** Parses a source; undefined if the text is not one. */
export function readSource(text: string): Source | undefined {
  if (!new RegExp(`^(?:${SOURCE})$`).test(text)) return undefined
  const [of, ...path] = [...text.matchAll(new RegExp(`(${NAME})|\\[(\\d+)\\]`, 'g'))].map(
    ([, name, index]) => (index === undefined ? (name as string) : Number(index)),
  )
  if (of === 'params') return { of, path }
  return { of: 'results', step: path[0] as string, path: path.slice(1) }
}

/** Splits a text: `{params.repo}` is a placeholder, `{{params.repo}}` is the text `{params.repo}`, the rest is literal. */
export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  let literal = ''
  for (const match of text.matchAll(PLACEHOLDERS)) {
    literal += text.slice(end, match.index)
    end = match.index + match[0].length
    if (match[1] !== undefined) literal += `{${match[1]}}`
    else {
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push(readSource(match[2] as string) as Source)
    }
  }
  literal += text.slice(end)
  if (literal !== '' || parts.length === 0) parts.push(literal)
  return parts
}

/** Texts that look like a placeholder but are not, such as `{results}`. */
export function wrongPlaceholdersIn(text: string): string[] {
  return [...text.matchAll(ALMOST)].flatMap(({ 0: whole, 1: inner, index }) =>
    readSource(inner as string) || text[index - 1] === '{' ? [] : [whole],
  )
}

/** All sources within a value. */
export function sourcesIn(value: unknown): Source[] {
  return textsIn(value).flatMap(text => partsOf(text).filter(part => typeof part !== 'string'))
}

/** All texts within a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** A source as text, as it is written in a placeholder. */
export function sourceInWords({ of, step, path }: Source): string {
  const rest = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return `${of}${step === undefined ? '' : `.${step}`}${rest}`
}

/** The values of a run so far. */
export interface Values {
  params: unknown
  /** The result of a step; null for one that was skipped or failed. */
  result: (step: string) => unknown
}

/** The value of a source; null if there is none. Ignores inherited properties. */
export function valueAt({ of, step, path }: Source, values: Values): unknown {
  let value: unknown = of === 'params' ? values.params : values.result(step as string)
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null
    value = (value as Record<string | number, unknown>)[part]
  }
  return value ?? null
}

/** Fills all placeholders in a value. A text that consists of one placeholder becomes the value itself, with its type. */
export function filled(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return filledText(value, values)
  if (Array.isArray(value)) return value.map(item => filled(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, values)]))
}

function filledText(text: string, values: Values): unknown {
  const parts = partsOf(text)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return valueAt(only, values)
  return parts.map(part => (typeof part === 'string' ? part : textOf(valueAt(part, values)))).join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
