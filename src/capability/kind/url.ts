import { quote } from '../../failure/quote.ts'
import { fail } from '../settings.ts'
import { fill, paramOf, paramsIn, type Template, templateOf, type Values } from '../template.ts'

/** A URL with placeholders for parameters. */
export interface UrlTemplate {
  readonly title: string
  readonly templates: readonly Template[]
  problems(params: unknown): string[]
  fill(values: Values): string
}

/** Parses a URL. Parameters may only appear after the host, so they cannot change where it leads. */
export function urlOf(source: unknown, capability: string): UrlTemplate {
  if (typeof source !== 'string')
    fail(capability, `url must be a URL such as "https://example.com/hook", not ${quote(source)}`)
  const template = templateOf(source)
  if (template.parts.every(part => 'variable' in part)) return fromEnvironment(template)
  const [, origin = '', path = '', query = ''] = /^(https?:\/\/[^/?#]+)([^?#]*)(.*)$/i.exec(source) ?? []
  if (origin === '' || !URL.canParse(origin) || templateOf(origin).parts.some(part => !('text' in part)))
    fail(
      capability,
      `url must start with a fixed host, such as "https://example.com/items/{id}", not ${quote(source)}`,
    )
  const segments = path.split('/').map(templateOf)
  const rest = templateOf(query)
  return {
    title: `${new URL(origin).origin}${path}`,
    templates: [...segments, rest],
    problems: params => segments.flatMap(segment => problemOfSegment(segment, params) ?? []),
    fill: values => {
      const filled = segments.map(segment => fill(segment, values, encodeURIComponent) ?? '')
      return `${origin}${filled.join('/')}${fillQuery(query, values)}`
    },
  }
}

/** The whole URL is a variable: for a webhook whose URL is its secret. */
function fromEnvironment(template: Template): UrlTemplate {
  return {
    title: template.source,
    templates: [template],
    problems: () => [],
    fill: values => fill(template, values) ?? '',
  }
}

/** Handles each query pair separately: one whose parameter is missing is left out. */
function fillQuery(query: string, values: Values): string {
  if (!query.startsWith('?')) return ''
  const [pairs = ''] = query.slice(1).split('#')
  const filled = pairs.split('&').flatMap(pair => fill(templateOf(pair), values, encodeURIComponent) ?? [])
  return filled.length === 0 ? '' : `?${filled.join('&')}`
}

/** An empty or climbing segment would change where the URL leads. */
function problemOfSegment(segment: Template, params: unknown): string | undefined {
  for (const name of paramsIn(segment)) {
    const value = paramOf(params, name)
    if (value === undefined || value === null || value === '')
      return `${name}: must not be empty, because it is part of the URL`
  }
  const [name] = paramsIn(segment)
  if (name === undefined) return undefined
  const filled = fill(segment, { params, env: {} })
  return filled === '.' || filled === '..'
    ? `${name}: must not be ${quote(filled)}, which would lead to another URL`
    : undefined
}
