import { expect, it } from 'vitest'
import { identityOf } from './upstream-identity.ts'

const KEY = Buffer.alloc(32, 1)
const program = (more: object = {}) =>
  identityOf(
    { target: { by: 'stdio', argv: ['server'], cwd: '/work', env: { TOKEN: 'a', HOME: '/home' }, ...more } },
    KEY,
  )
const remote = (headers: Record<string, string>, url = 'https://example.com/mcp') =>
  identityOf({ target: { by: 'http', url, headers } }, KEY)

it.each([
  ['another argument', { argv: ['server', '--admin'] }],
  ['another folder', { cwd: '/other' }],
  ['another credential', { env: { TOKEN: 'b', HOME: '/home' } }],
  ['another agent with keys', { env: { TOKEN: 'a', HOME: '/home', SSH_AUTH_SOCK: '/tmp/agent' } }],
])('tells a program with %s apart', (_what, more) => {
  expect(program(more)).not.toBe(program())
})

it('tells remote servers apart by URL and headers', () => {
  const mine = remote({ authorization: 'Bearer mine' })
  expect(remote({ authorization: 'Bearer yours' })).not.toBe(mine)
  expect(remote({})).not.toBe(mine)
  expect(remote({ authorization: 'Bearer mine' }, 'https://example.com/other')).not.toBe(mine)
})

it('is the same in another terminal, whatever the order of variables', () => {
  const env = { HOME: '/home', TERM: 'xterm', SHLVL: '2', MULLIGAN_SESSION: 's', TOKEN: 'a' }
  expect(program({ env })).toBe(program())
})

it('depends on the key, so that nobody can guess a credential from it', () => {
  const target = { by: 'http' as const, url: 'https://example.com/mcp', headers: {} }
  expect(identityOf({ target }, Buffer.alloc(32, 2))).not.toBe(identityOf({ target }, KEY))
})
