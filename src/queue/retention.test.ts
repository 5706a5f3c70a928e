import { expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { retentionPolicy, setRetention } from './retention.ts'

const day = 86_400_000
const configOf = (keys: string) => readConfig(`[queue]\nprune = { ${keys} }\n`, 'm.toml').config

it('is what the ledger says, else what the config says', async () => {
  await using ledger = await memoryLedger().then(each =>
    Object.assign(each, { [Symbol.asyncDispose]: () => each.close() }),
  )
  const policyOf = (keys: string) => retentionPolicy(ledger, configOf(keys))
  const usual = { succeededAfterMs: 30 * day, deadAfterMs: 90 * day, eventsAfterMs: 30 * day }
  expect(await policyOf('')).toEqual({ ...usual, workflowsAfterMs: 90 * day })
  const given = 'succeeded = "1d", dead = "2d", events = "3d", workflows = "4d"'
  const set = {
    succeededAfterMs: day,
    deadAfterMs: 2 * day,
    eventsAfterMs: 3 * day,
    workflowsAfterMs: 4 * day,
  }
  expect(await policyOf(given)).toEqual(set)
  await setRetention(ledger, { dead: 7 * day })
  expect(await policyOf(given)).toEqual({ ...set, deadAfterMs: 7 * day })
  await setRetention(ledger, { dead: null })
  expect(await policyOf(given)).toEqual(set)
})

it('refuses to delete events that a consumer may not have read yet', () => {
  expect(() => configOf('events = "10m"')).toThrow(/m\.toml:2:\d+: .*at least 1h/)
})
