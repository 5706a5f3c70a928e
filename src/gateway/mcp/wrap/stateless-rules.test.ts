import { expect, it } from 'vitest'
import { refusalOfStateless } from './stateless-rules.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const whole = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} }

const refused = (method: string, _meta: object) => {
  const line = refusalOfStateless({ type: 'request', id: 7, method, params: { _meta } })
  return line && JSON.parse(line.toString('utf8'))
}

it('accepts a complete request of an existing method', () => {
  expect(refused('tools/call', whole)).toBeUndefined()
})

it.each([
  ['without a version', 'tools/list', { [CAPABILITIES]: {} }, -32602],
  ['without capabilities', 'tools/list', { [VERSION]: '2026-07-28' }, -32602],
  ['of a method that was removed', 'ping', whole, -32601],
  ['of another version', 'tools/list', { ...whole, [VERSION]: '2199-01-01' }, -32022],
])('refuses a request %s', (_, method, meta, code) => {
  expect(refused(method, meta)).toMatchObject({ id: 7, error: { code } })
})

it('names the supported versions', () => {
  expect(refused('tools/list', { ...whole, [VERSION]: '2199-01-01' }).error.data).toEqual({
    supported: ['2026-07-28'],
    requested: '2199-01-01',
  })
})
