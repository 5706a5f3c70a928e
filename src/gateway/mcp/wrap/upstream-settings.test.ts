import { expect, it } from 'vitest'
import { nameOfTarget } from './upstream-settings.ts'

it.each([
  [['npx', '-y', '@modelcontextprotocol/server-memory@1.2'], 'modelcontextprotocol-server-memory'],
  [['uvx', 'mcp-server-git'], 'mcp-server-git'],
  [['node', './tracker.mjs', '--verbose'], 'tracker'],
  [['node', '/opt/server-memory/dist/index.js'], 'server-memory'],
  [['python3', 'weather/src/server.py'], 'weather'],
  [['node', 'index.js'], 'index'],
  [['/usr/local/bin/github-mcp-server', 'stdio'], 'github-mcp-server'],
])('names the server of %j %s', (argv, name) => {
  expect(nameOfTarget({ argv })).toBe(name)
})

it('names a remote server by its host', () => {
  expect(nameOfTarget({ url: 'https://mcp.example.com/v1' })).toBe('mcp.example.com')
})
