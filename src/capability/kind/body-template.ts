import { fill, paramOf, type Template, templateOf, type Values, wholeParam } from '../template.ts'

/** A body with placeholders for parameters. */
export interface BodyTemplate {
  readonly type: string
  readonly templates: readonly Template[]
  fill(values: Values): string
}

/** Parses a body: JSON, JSON as text, or plain text. Parameters go into JSON as values, never pasted, and into a form encoded. */
export function bodyOf(source: unknown, isForm = false): BodyTemplate {
  if (isForm && typeof source === 'string') return formOf(source)
  const json = typeof source === 'string' ? parsed(source) : { value: source }
  if (json === undefined) {
    const template = templateOf(source as string)
    return {
      type: 'text/plain; charset=utf-8',
      templates: [template],
      fill: values => fill(template, values) ?? '',
    }
  }
  const templates: Template[] = []
  collect(json.value, templates)
  return {
    type: 'application/json',
    templates,
    fill: values => JSON.stringify(filled(json.value, values) ?? null),
  }
}

/** Handles each pair separately: one whose parameter is missing is left out. */
function formOf(source: string): BodyTemplate {
  const pairs = source.trim().split('&').map(templateOf)
  return {
    type: 'application/x-www-form-urlencoded',
    templates: pairs,
    fill: values => pairs.flatMap(pair => fill(pair, values, encodeURIComponent) ?? []).join('&'),
  }
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { value } : undefined
  } catch {
    return undefined
  }
}

function collect(value: unknown, templates: Template[]): void {
  if (typeof value === 'string') templates.push(templateOf(value))
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) collect(inner, templates)
}

/** The value with its placeholders filled; undefined if a parameter is missing, which leaves the field out. */
function filled(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const template = templateOf(value)
    const whole = wholeParam(template)
    return whole === undefined ? fill(template, values) : paramOf(values.params, whole)
  }
  if (Array.isArray(value))
    return value.map(inner => filled(inner, values)).filter(inner => inner !== undefined)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, values)]))
}
