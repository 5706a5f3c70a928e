import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMAND_NAMES } from '../src/cli/commands.ts'
import { scopeFor } from '../src/gateway/http/scope.ts'
import { toolsFor } from '../src/gateway/mcp/server/server.ts'
import { TestApi } from '../test/gateway/http/api.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'reference', 'threats.md'), 'utf8')
const doors = page.slice(page.indexOf('## Doors'), page.indexOf('## A hostile config'))
const rows = doors.split('\n').filter(line => line.startsWith('|'))
const listed = new Set([...doors.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name))

describe('docs/reference/threats.md says what holds at every door:', () => {
  it('each route of the HTTP API, with the scope that it needs', async () => {
    const api = await TestApi.start()
    try {
      expect(api.gateway.routes.map(({ id }) => id).filter(id => !listed.has(id))).toEqual([])
      const said = (id: string) => rows.find(row => row.includes(`\`${id}\``)) ?? ''
      const wrong = api.gateway.routes.filter(
        ({ id, demand }) => !said(id).includes(demand === 'open' ? '| anyone' : `scope ${scopeFor(demand)}`),
      )
      expect(wrong.map(({ id }) => id)).toEqual([])
    } finally {
      await api.close()
    }
  })

  it('each tool of the MCP server', () => {
    const tools = toolsFor({ readOnly: false, allowLabel: true, asPerson: true })
    expect(tools.map(({ name }) => name).filter(name => !listed.has(name))).toEqual([])
  })

  it('each command', () => {
    expect(COMMAND_NAMES.filter(name => !listed.has(name))).toEqual([])
  })
})
