// A program of 0.1.0, from its guides, after the upgrade list of CHANGELOG.md. Each changed line says by which step.
// scripts/pack-check.ts compiles it against the packed package and runs it.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classify, decide } from 'mulligan'
import { call } from 'mulligan/call'
import { commandCapability, defineCapability } from 'mulligan/capability'
import { openLedger } from 'mulligan/ledger'
import { Health } from 'mulligan/provider'
import { isHandedOver, openQueue } from 'mulligan/queue'
import { z } from 'zod'

const failure = classify(
  Object.assign(new Error('429 Rate limit reached. Please try again in 7.5s.'), { status: 429 }),
  { provider: 'openai', now: Date.parse('2026-10-05T14:00:00Z') },
)
assert.deepEqual([failure?.class, failure?.kind, failure?.retryAfterMs], ['throttle', 'rate_limit', 7_500])
assert.equal(failure && decide(failure).action, 'retry')

let tries = 0
const { value, attempts } = await call(
  async ({ signal, provider }) => {
    signal.throwIfAborted()
    if (++tries === 1) throw Object.assign(new Error('Your credit balance is too low'), { status: 400 })
    return `answered by ${provider}`
  },
  { pool: ['anthropic', 'openai'], budgetMs: 60_000, maxCostUsd: 2 },
)
assert.deepEqual([value, attempts.length], ['answered by openai', 2])

const heard: string[] = []
const health = new Health({
  providers: [{ id: 'claude', caps: [{ per: 'day', usd: 20 }] }, { id: 'openai' }],
  onEvent: event => heard.push(event.type),
})
const limits = {
  'anthropic-ratelimit-requests-limit': '50',
  'anthropic-ratelimit-requests-remaining': '0',
  'anthropic-ratelimit-requests-reset': new Date(Date.now() + 3_600_000).toISOString(),
}
const ask = () =>
  call(({ provider }) => ({ by: provider, headers: provider === 'claude' ? limits : {} }), {
    pool: ['claude', 'openai'],
    health, // step 4: was `gate: health`
  })
assert.deepEqual([(await ask()).value.by, (await ask()).value.by], ['claude', 'openai'])
assert.deepEqual(heard, ['window.exhausted'])

const greet = commandCapability({
  name: 'greet',
  argv: ['node', '-p', '"hello " + process.argv[1]', '--', '{who}'],
  params: { who: {}, token: { secret: true, required: false } },
  env: { TOKEN: '{token}' },
  retry: 'none', // step 3: had no default any more
})
assert.deepEqual(greet.problems({ who: '--help' }), [])

let isUp = false
const notify = defineCapability({
  name: 'notify',
  params: z.object({ text: z.string() }),
  retry: 'replay',
  run: ({ text }) => {
    if (!isUp) throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '1' } })
    return `told: ${text}`
  },
})
const data = mkdtempSync(join(tmpdir(), 'mulligan-'))
const queue = await openQueue({ data, capabilities: [notify, greet] })
const result = await queue.run('notify', { text: 'hello' }, { budgetMs: 500 })
assert.ok(isHandedOver(result))
isUp = true
await queue.runner().start()
const ended = await queue.wait(result.operationId)
assert.deepEqual([ended.state, ended.snoozes], ['succeeded', 1])
await queue.submitMany([1, 2, 3].map(n => ({ capability: 'later', params: { n }, unchecked: true })))
const preview = await queue.preview('cancel', { capability: 'later' })
assert.equal(preview.total, 3)
assert.deepEqual((await queue.apply(preview)).counts, { cancelled: 3 })
await queue.close()

const ledger = await openLedger({ file: join(data, 'ledger.db') })
assert.equal((await ledger.get(result.operationId))?.state, 'succeeded')
await ledger.close()
