import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BREAKER_DEFAULTS } from '../provider/breaker.ts'
import { readConfig } from './read.ts'
import { TABLES } from './schema/config.ts'
import { type Node, nodeOf } from './schema/node.ts'

const document = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
const read = (name: string) => readFileSync(document(name), 'utf8')

describe('the documents about the config', () => {
  it('describe every key with a sentence', () => {
    const undescribed: string[] = []
    const walk = (node: Node, path: string) => {
      if (node.kind === 'list' || node.kind === 'map') walk(node.item, path)
      if (node.kind !== 'table') return
      for (const [key, field] of node.fields) {
        if (!/^[A-Z`].*\.$/.test(field.description)) undescribed.push(`${path}.${key}`)
        walk(field.node, `${path}.${key}`)
      }
    }
    for (const [table, schema] of Object.entries(TABLES)) walk(nodeOf(schema), table)
    expect(undescribed).toEqual([])
  })

  it('name the defaults that the code has', () => {
    const { config } = readConfig('[[provider]]\nid = "a"\n', 'mulligan.toml')
    expect(config.providers[0]?.breaker).toEqual(BREAKER_DEFAULTS)
  })

  it('give an example that loads and uses every table', () => {
    const { config, file } = readConfig(read('mulligan.example.toml'), 'mulligan.example.toml')
    expect(file).toBe('mulligan.example.toml')
    const { providers, pools, councils, capabilities, signatures, schedules } = config
    for (const entries of [providers, pools, councils, capabilities, signatures, schedules])
      expect(entries.length).toBeGreaterThan(0)
    expect(config.budget).toEqual({ dayUsd: 50, monthUsd: 800, timeZone: 'Europe/Berlin' })
    expect(config.policy.override[0]).toEqual({
      kind: 'gateway_timeout',
      treatAs: 'transient',
      maxRetries: 1,
    })
    expect(config.councils[0]).toMatchObject({
      quorum: 2,
      budgetMs: 270_000,
      graceMs: 10_000,
      minRetryBudgetMs: 30_000,
    })
    expect(config.capabilities[0]).toMatchObject({
      retry: 'verify_first',
      timeoutMs: 900_000,
      verify: { delayMs: 30_000, timeoutMs: 30_000 },
      params: { revision: { type: 'string', required: true, secret: false, description: 'A commit' } },
    })
  })
})
