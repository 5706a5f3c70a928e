import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { call } from '../../call/call.ts'
import { openMulligan } from './open-mulligan.ts'

const CONFIG = `
[[provider]]
id = "first"
[[provider]]
id = "second"
error_signatures = { throttle = ["till is closed"] }
[[pool]]
id = "both"
providers = ["first", "second"]
[[price]]
model = "m"
input = 1
output = 2
cached = 0.1
`

function host(config?: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'open-'))
  const file = join(cwd, 'own.toml')
  if (config !== undefined) writeFileSync(file, config)
  const env = { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), XDG_CONFIG_HOME: join(cwd, 'config') }
  return { env, cwd, ...(config === undefined ? {} : { config: file }) }
}

it('opens health, pools, signatures and prices of a config', async () => {
  await using mulligan = await openMulligan(host(CONFIG))
  const work = ({ provider }: { provider: string | undefined }) => {
    if (provider === 'first') throw Object.assign(new Error('credit balance is too low'), { status: 402 })
    return {
      model: 'm',
      role: 'assistant',
      content: [{ text: 'x' }],
      usage: { input_tokens: 1_000_000, output_tokens: 500_000 },
    }
  }
  const { provider, costUsd } = await call(work, { ...mulligan.options, pool: 'both' })
  expect([provider, costUsd]).toEqual(['second', 2])
  const failed = await call(() => Promise.reject(new Error('till is closed')), {
    ...mulligan.options,
    provider: 'second',
    maxRetries: 0,
    budgetMs: 10,
  }).catch(error => error)
  expect(failed.failure.class).toBe('throttle')
})

it('shares what one program learned with the next', async () => {
  const at = host(CONFIG)
  const refused = () => Promise.reject(Object.assign(new Error('credit balance is too low'), { status: 402 }))
  {
    await using first = await openMulligan(at)
    await call(refused, { ...first.options, provider: 'first' }).catch(() => {})
  }
  await using second = await openMulligan(at)
  const { failure } = await call(() => 'x', { ...second.options, provider: 'first', budgetMs: 50 }).catch(
    error => error,
  )
  expect(failure.evidence.rule).toMatch(/^gate:/)
})

it('asks a pool in the order that the config gives', async () => {
  const config = `
[[provider]]
id = "dear"
[[provider]]
id = "cheap"
[[pool]]
id = "by-price"
providers = ["dear", "cheap"]
routing = "cheapest"
[[pool]]
id = "by-weight"
providers = ["dear", "cheap"]
weights = { cheap = 1 }
[[price]]
model = "dear/m"
input = 9
output = 9
[[price]]
model = "cheap/m"
input = 1
output = 1
`
  await using mulligan = await openMulligan(host(config))
  const asked = async (pool: string) =>
    (await call(() => 'x', { ...mulligan.options, pool, model: 'm' })).provider
  expect([await asked('by-price'), await asked('by-weight')]).toEqual(['cheap', 'cheap'])
})

it('keeps the bill, by program and conversation', async () => {
  const at = host(CONFIG)
  const answer = {
    model: 'm',
    role: 'assistant',
    content: [{ text: 'x' }],
    usage: { input_tokens: 1_000_000, output_tokens: 0, cache_read_input_tokens: 1_000_000 },
  }
  {
    await using first = await openMulligan({ ...at, client: 'batch' })
    await call(() => answer, { ...first.options, provider: 'first', sticky: 'talk' })
  }
  await using second = await openMulligan(at)
  expect(await second.ledger.bill({ by: ['client', 'session', 'provider', 'model'] })).toEqual([
    {
      client: 'batch',
      session: 'talk',
      provider: 'first',
      model: 'm',
      tries: 1,
      failed: 0,
      unpriced: 0,
      usd: 1.1,
      usage: { inputTokens: 2_000_000, outputTokens: 0, cachedTokens: 1_000_000, cacheWriteTokens: 0 },
    },
  ])
})

it('has defaults without a file, and prices of a library', async () => {
  await using mulligan = await openMulligan({ ...host(), prices: () => 7 })
  const answer = {
    model: 'x',
    role: 'assistant',
    content: [{ text: 'x' }],
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  expect((await call(() => answer, mulligan.options)).costUsd).toBe(7)
})

it('says which option is unknown', async () => {
  await expect(openMulligan({ file: 'x' } as never)).rejects.toThrow(/openMulligan: unknown option file/)
})
