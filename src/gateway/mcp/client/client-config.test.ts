import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { ClientConfig } from './client-config.ts'
import { CLIENTS, type McpClient } from './clients.ts'
import { parseJsonc, valueOfNode } from './jsonc.ts'
import { wrapLength } from './server-entry.ts'

const config = (client: string, text: string) =>
  new ClientConfig(CLIENTS[client] as McpClient, 'config', text)
const WRAP = ['mulligan', 'mcp', 'wrap', '--']
const WORDS = [...WRAP, 'npx', '-y', 'some-server']

const JSONC = `{
  // the servers that I use
  "theme": "dark", /* night */
  "mcpServers": {
    "files": {
      "command": "npx", // from npm
      "args": [
        "-y", "server-files", // the folder:
        "/tmp"
      ],
      "env": { "KEY": "value" }
    },
    "bare": { "command": "run-me" } // nothing else
  },
  "last": [1, 2,],
}
`

const TOML = `# my config
model = "gpt-5" # the best

[mcp_servers.files]
command = "npx" # from npm
args = [
  "-y", "server-files", # the folder:
  '/tmp',
]
startup_timeout_sec = 20

[mcp_servers.files.env]
KEY = "value"

# a server without arguments
[mcp_servers.bare]
command = 'run-me'

# the rest
[tui]
theme = "dark"
`

describe.each([
  ['gemini', JSONC],
  ['codex', TOML],
])('the config of %s', (client, text) => {
  const read = (given: string): unknown =>
    client === 'codex' ? parse(given) : valueOfNode(parseJsonc(given))

  it('adds a server, and is unchanged after removing it again', () => {
    const added = config(client, text).with('more', WORDS)
    expect(config(client, added).entry('more')?.words).toEqual(WORDS)
    for (const comment of text.match(/(?:\/\/|#|\/\*).*/g) ?? []) expect(added).toContain(comment)
    const removed = config(client, added).without('more')
    expect(removed).toBe(text)
  })

  it.each(['files', 'bare'])('wraps %s, and is unchanged after unwrapping it', name => {
    const before = config(client, text)
    const wrapped = before.wrapped(name, WRAP)
    const { words = [] } = config(client, wrapped).entry(name) ?? {}
    expect(words).toEqual([...WRAP, ...(before.entry(name)?.words ?? [])])
    expect(wrapped).toContain('the folder:')
    expect(wrapLength(words)).toBe(WRAP.length)
    const unwrapped = config(client, wrapped).unwrapped(name, WRAP.length)
    expect(read(unwrapped)).toEqual(read(text))
    if (client === 'gemini' || name === 'files') expect(unwrapped).toBe(text)
  })

  it('removes a server with its nested tables, and keeps everything around it', () => {
    const removed = config(client, text).without('files')
    expect(config(client, removed).entries.map(({ name }) => name)).toEqual(['bare'])
    expect(removed).not.toContain('KEY')
    expect(removed).toContain('dark')
    expect(removed).toContain(client === 'codex' ? '# the rest' : '// the servers that I use')
  })

  it('creates the file if there is none', () => {
    const made = config(client, '').with('first', WORDS)
    expect(config(client, made).entries).toEqual([{ name: 'first', words: WORDS }])
  })
})

describe('JSON configs', () => {
  it.each([
    '{}',
    '{\n}\n',
    '{"a":1}',
    '{"mcpServers":{}}',
    '{"mcpServers":{"a":{"command":"x"}}}',
    '{\n\t"mcpServers": {\n\t\t"a": {"command": "x", "args": []},\n\t},\n}',
    '{ "mcpServers": { "a": { "command": "x" } } }',
    '{\n  "mcpServers": {\n    "a": {"command": "x"} // why\n  }\n}\n',
    '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    '\ufeff{"mcpServers": null}',
  ])('takes a server and gives it back: %j', text => {
    const added = config('cursor', text).with('new', WORDS)
    expect(config('cursor', added).entry('new')?.words).toEqual(WORDS)
    const removed = config('cursor', added).without('new')
    const [before, after] = [text, removed].map(each => valueOfNode(parseJsonc(each.replace(/^\ufeff/, ''))))
    expect({ mcpServers: {}, ...(after as object) }).toEqual({
      mcpServers: {},
      ...(before as object),
      ...((before as { mcpServers?: unknown }).mcpServers === null ? { mcpServers: {} } : {}),
    })
  })

  it('keeps a comment next to its value', () => {
    const text = '{\n  "mcpServers": {\n    "a": { "command": "x" } // why a\n  }\n}\n'
    const added = config('cursor', text).with('b', WORDS)
    expect(added).toContain('"a": { "command": "x" }, // why a\n    "b": {')
    expect(config('cursor', added).without('b')).toBe(text)
  })

  it('reads any JSON and returns the same value', () => {
    const entry = fc.record({
      command: fc.string(),
      args: fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
    })
    const servers = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), entry, { minKeys: 1, maxKeys: 4 })
    fc.assert(
      fc.property(
        servers,
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 1, 2, 4, '\t'),
        (all, rest, space) => {
          const text = JSON.stringify({ ...rest, mcpServers: all }, null, space)
          const added = config('cursor', text).with('NEW', WORDS)
          expect(config('cursor', added).without('NEW')).toBe(text)
          const [name = ''] = Object.keys(all)
          const wrapped = config('cursor', text).wrapped(name, WRAP)
          expect(valueOfNode(parseJsonc(config('cursor', wrapped).unwrapped(name, WRAP.length)))).toEqual(
            JSON.parse(text),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it.each([
    ['{"a": }', 'config:1:7 cannot be read: expected a value'],
    ['{\n  "a": 1\n  "b": 2\n}', 'config:3:3 cannot be read: expected a comma or }'],
    ['{"mcpServers": [1]}', 'config: mcpServers is not a table of servers'],
    ['[]', 'config: mcpServers is not a table of servers'],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 'nested too deep'],
  ])('is refused where it is broken: %.30j', (text, told) => {
    expect(() => config('cursor', text)).toThrow(told)
  })
})

describe('TOML configs of Codex', () => {
  it('refuses to change servers in a form that cannot be edited safely', () => {
    const inline = 'mcp_servers = { a = { command = "x", args = ["y"] } }\n'
    expect(config('codex', inline).entry('a')?.words).toEqual(['x', 'y'])
    expect(() => config('codex', inline).wrapped('a', WRAP)).toThrow('is not under a header [mcp_servers.a]')
    expect(() => config('codex', inline).with('b', WORDS)).toThrow()
    expect(() => config('codex', inline).without('a')).toThrow('change it by hand')
    expect(() => config('codex', 'a = [')).toThrow('config cannot be read')
  })

  it('supports names that need quotes', () => {
    const added = config('codex', '').with('a.b', WORDS)
    expect(added).toContain('[mcp_servers."a.b"]')
    expect(config('codex', added).without('a.b')).toBe('')
  })
})

describe('opencode', () => {
  it('writes program and arguments as one list', () => {
    const text = '{\n  "mcp": {\n    "a": { "type": "local", "command": ["npx", "a"] }\n  }\n}\n'
    const wrapped = config('opencode', text).wrapped('a', WRAP)
    expect(wrapped).toContain('"command": ["mulligan", "mcp", "wrap", "--", "npx", "a"]')
    expect(config('opencode', wrapped).unwrapped('a', WRAP.length)).toBe(text)
    expect(config('opencode', '').with('b', ['x'])).toBe(
      '{\n  "mcp": {\n    "b": {\n      "type": "local",\n      "command": ["x"]\n    }\n  }\n}\n',
    )
  })
})

describe('recognizing a wrapped command', () => {
  it.each([
    [['mulligan', 'mcp', 'wrap', '--', 'npx'], 4],
    [['/usr/bin/node', '/opt/mulligan.js', 'mcp', 'wrap', '--wait', '5s', '--', 'npx', '--', 'x'], 7],
    [['npx', 'mcp', 'wrap', '--', 'x'], 0],
    [['mulligan', 'mcp', 'wrap', '--'], 0],
    [['mulligan', 'mcp'], 0],
    [[], 0],
  ])('of %j are %j', (words, length) => {
    expect(wrapLength(words)).toBe(length)
  })
})
