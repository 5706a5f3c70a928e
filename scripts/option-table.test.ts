import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { optionTable } from './option-table.ts'

it('the table of options in docs/agents.md is the one of the code', () => {
  const text = readFileSync(fileURLToPath(new URL('../docs/agents.md', import.meta.url)), 'utf8')
  const [, table] = /<!-- options -->\n([\s\S]*?)\n<!-- end of options -->/.exec(text) ?? []
  expect(table).toBe(optionTable())
})
