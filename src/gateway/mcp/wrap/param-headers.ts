import { isObject } from '../json-rpc.ts'
import { elementsAt, replaced, spanOf } from '../json-text.ts'

/** Marks an argument of a tool that is sent as a header too, so that those on the way can route the call. */
const MARK = 'x-mcp-header'

/** What names of such headers begin with. */
const PREFIX = 'mcp-param-'

/** Types that an argument in a header may have. */
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** Keywords of JSON Schema whose values are data, and no schemas. */
const DATA: readonly string[] = ['default', 'const', 'enum', 'examples']

/** Arguments that lie deeper are in no header. */
const DEEPEST = 32

/** An argument of a tool that is sent as a header too. */
export interface HeaderArgument {
  /** Keys that lead to it. */
  path: readonly string[]
  /** Name of the header. */
  header: string
}

interface Place {
  schema: unknown
  path: readonly string[]
  /** Only `properties` lead here: elsewhere a mark makes no sense. */
  isProperty: boolean
}

/** The arguments that a tool wants in headers; undefined if its schema asks for something that cannot be done. */
export function headerArgumentsOf(inputSchema: unknown): readonly HeaderArgument[] | undefined {
  const found = new Map<string, HeaderArgument>()
  const places: Place[] = [{ schema: inputSchema, path: [], isProperty: true }]
  // Without recursion: a schema may be nested deeper than the stack is.
  for (let place = places.pop(); place; place = places.pop()) {
    const { schema, path, isProperty } = place
    if (Array.isArray(schema))
      for (const each of schema) places.push({ schema: each, path, isProperty: false })
    if (!isObject(schema)) continue
    if (Object.hasOwn(schema, MARK)) {
      const { [MARK]: name, type } = schema
      const isValid = isProperty && path.length > 0 && isToken(name) && TYPES.includes(type)
      if (!isValid || found.has(name.toLowerCase())) return undefined
      found.set(name.toLowerCase(), { path, header: `${PREFIX}${name.toLowerCase()}` })
    }
    for (const [key, inner] of Object.entries(schema))
      if (key === 'properties' && isObject(inner) && path.length < DEEPEST)
        for (const [name, property] of Object.entries(inner))
          places.push({ schema: property, path: [...path, name], isProperty })
      else if (!DATA.includes(key)) places.push({ schema: inner, path, isProperty: false })
  }
  return [...found.values()]
}

/** The headers of a call with these arguments; what is not given, or cannot be written, has none. */
export function paramHeaders(wanted: readonly HeaderArgument[], given: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { path, header } of wanted) {
    let value = given
    for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
    const isUnsafe = typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)
    if (['string', 'number', 'boolean'].includes(typeof value) && !isUnsafe)
      headers[header] = headerValue(String(value))
  }
  return headers
}

/** A list of tools without those that want headers that cannot be made, and their names. The rest stays byte by byte. */
export function withoutUnsendable(line: Buffer): { line: Buffer; left: readonly string[] } {
  const text = line.toString('utf8')
  const span = spanOf(text, ['result', 'tools'])
  if (!span) return { line, left: [] }
  const tools = elementsAt(text, span.start).map(({ start, end }) => text.slice(start, end))
  const left: string[] = []
  const kept = tools.filter(tool => {
    const { name, inputSchema } = JSON.parse(tool) as { name?: unknown; inputSchema?: unknown }
    const isSendable = headerArgumentsOf(inputSchema) !== undefined
    if (!isSendable) left.push(String(name))
    return isSendable
  })
  return { line: Buffer.from(replaced(text, [{ ...span, by: `[${kept.join(',')}]` }])), left }
}

/** Plain text as it is; anything else in Base64, in the form that the protocol has for it. */
export function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function isToken(name: unknown): name is string {
  return typeof name === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(name)
}
