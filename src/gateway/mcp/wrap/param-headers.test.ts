import { expect, it } from 'vitest'
import { headerArgumentsOf, paramHeaders } from './param-headers.ts'

const marked = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name })

it('finds the arguments that a tool wants in headers, however deeply nested', () => {
  const schema = {
    type: 'object',
    properties: {
      region: marked('Region'),
      place: { type: 'object', properties: { floor: marked('Floor', 'integer') } },
      plain: { type: 'string', default: { 'x-mcp-header': 'is data' } },
    },
  }
  const wanted = headerArgumentsOf(schema) ?? []
  expect(paramHeaders(wanted, { region: 'eu', place: { floor: 3 }, plain: 'x' })).toEqual({
    'mcp-param-region': 'eu',
    'mcp-param-floor': '3',
  })
})

it.each([
  ['a name that is no token', { a: marked('two words') }],
  ['an empty name', { a: marked('') }],
  ['a name that is no text', { a: marked(7) }],
  ['a type that is no plain value', { a: marked('A', 'object') }],
  ['a type whose text is ambiguous', { a: marked('A', 'number') }],
  ['the same name twice', { a: marked('A'), b: marked('a') }],
  ['items of a list', { a: { type: 'array', items: marked('A') } }],
  ['one of several schemas', { a: { oneOf: [marked('A')] } }],
])('rejects a schema that wants a header for %s', (_, properties) => {
  expect(headerArgumentsOf({ type: 'object', properties })).toBeUndefined()
})

it('leaves out absent and unsafe values, and encodes non-ASCII text as Base64', () => {
  const wanted = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name => ({ path: [name], header: name }))
  const given = { a: 'Grüße', b: null, c: ' padded', d: true, e: 2 ** 60, f: '=?base64?x?=', g: '' }
  const read = Object.entries(paramHeaders(wanted, given)).map(([name, value]) => {
    const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
    return [name, base64 === undefined ? value : Buffer.from(base64, 'base64').toString()]
  })
  expect(Object.fromEntries(read)).toEqual({ a: 'Grüße', c: ' padded', d: 'true', f: '=?base64?x?=', g: '' })
})

it('reads a schema that is nested more deeply than the stack allows', () => {
  const depth = 200_000
  const schema = JSON.parse(`${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`)
  expect(headerArgumentsOf(schema)).toEqual([])
})
