import { expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import { prunePolicy } from './prune-policy.ts'

const policyOf = (keys: string) => prunePolicy(readConfig(`[queue]\nprune = { ${keys} }\n`, 'm.toml').config)

it('takes its ages from the config', () => {
  const day = 86_400_000
  expect(policyOf('')).toEqual({
    succeededAfterMs: 30 * day,
    deadAfterMs: 90 * day,
    eventsAfterMs: 30 * day,
    workflowsAfterMs: 90 * day,
  })
  expect(policyOf('succeeded = "1d", dead = "2d", events = "3d", workflows = "4d"')).toEqual({
    succeededAfterMs: day,
    deadAfterMs: 2 * day,
    eventsAfterMs: 3 * day,
    workflowsAfterMs: 4 * day,
  })
})

it('refuses to delete events that a consumer may not have read yet', () => {
  expect(() => policyOf('events = "10m"')).toThrow(/m\.toml:2:\d+: .*at least 1h/)
})
