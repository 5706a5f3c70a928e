import { quote } from '../failure/quote.ts'
import { SECRET_KEY_VARIABLE } from '../process/environment.ts'

/** A piece of a template: text, a parameter, or an environment variable. */
export type Part = { text: string } | { param: string } | { variable: string }

/**
 * A text with placeholders: `{name}` is a parameter, `{env:NAME}` or a text that is only `env:NAME` is an environment variable, and
 * `{{name}}` is the literal text `{name}`. All other braces are literal.
 */
export interface Template {
  source: string
  parts: readonly Part[]
}

const PLACES = /\{\{([A-Za-z_][\w-]*)\}\}|\{env:([A-Za-z_]\w*)\}|\{([A-Za-z_][\w-]*)\}/g
const REFERENCE = /^env:([A-Za-z_]\w*)$/

/** The variable that a text refers to as a whole; undefined if it is not a reference. */
export function referenceOf(text: unknown): string | undefined {
  return typeof text === 'string' ? REFERENCE.exec(text)?.[1] : undefined
}

/** Parses a template. */
export function templateOf(source: string): Template {
  const variable = referenceOf(source)
  if (variable !== undefined) return { source, parts: [{ variable }] }
  const parts: Part[] = []
  let end = 0
  let text = ''
  for (const match of source.matchAll(PLACES)) {
    const [whole, literal, named, param] = match
    text += source.slice(end, match.index)
    end = match.index + whole.length
    if (literal !== undefined) {
      text += `{${literal}}`
      continue
    }
    if (text !== '') parts.push({ text })
    text = ''
    parts.push(named === undefined ? { param: param as string } : { variable: named })
  }
  text += source.slice(end)
  if (text !== '' || parts.length === 0) parts.push({ text })
  return { source, parts }
}

/** Names of the parameters in a template. */
export function paramsIn({ parts }: Template): string[] {
  return parts.flatMap(part => ('param' in part ? [part.param] : []))
}

/** Names of the environment variables in a template. */
export function variablesIn({ parts }: Template): string[] {
  return parts.flatMap(part => ('variable' in part ? [part.variable] : []))
}

/** The parameter, if the template is only that. */
export function wholeParam({ parts }: Template): string | undefined {
  const [only] = parts
  return parts.length === 1 && only && 'param' in only ? only.param : undefined
}

/** What a template is filled with. */
export interface Values {
  params: unknown
  env: Readonly<Record<string, string | undefined>>
}

/** The text with all placeholders filled; undefined if one of its parameters is missing. */
export function fill(
  { parts }: Template,
  values: Values,
  encode = (text: string) => text,
): string | undefined {
  let filled = ''
  for (const part of parts) {
    if ('text' in part) filled += part.text
    else {
      const value = 'param' in part ? paramOf(values.params, part.param) : values.env[part.variable]
      if (value === undefined || value === null) return undefined
      filled += encode(textOf(value))
    }
  }
  return filled
}

/** A parameter by name; only what the caller gave, never an inherited property. */
export function paramOf(params: unknown, name: string): unknown {
  return typeof params === 'object' && params !== null && Object.hasOwn(params, name)
    ? (params as Record<string, unknown>)[name]
    : undefined
}

/** A parameter within a text: strings unchanged, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** What is wrong with a template's placeholders, if the names of the parameters are known. */
export function problemOfPlaceholders(
  template: Template,
  known: readonly string[] | undefined,
): string | undefined {
  if (variablesIn(template).includes(SECRET_KEY_VARIABLE))
    return `${quote(template.source)} refers to ${SECRET_KEY_VARIABLE}, which is never passed on`
  const unknown = known && paramsIn(template).find(name => !known.includes(name))
  if (unknown === undefined || known === undefined) return undefined
  const remedy = known.length === 0 ? 'it has no parameters' : `known: ${known.join(', ')}`
  return `${quote(template.source)} names the unknown parameter {${unknown}}; ${remedy}; write {{${unknown}}} for the text itself`
}
