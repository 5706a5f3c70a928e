import { expect, it } from 'vitest'
import { commandCapability } from '../capability/kind/command-capability.ts'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'

it("a command that succeeds after a limit paces its provider, by its operator's signature", async () => {
  const time = new FakeTime()
  const signatures = buildSignatureMap([{ id: 'search', error_signatures: { throttle: ['on holiday'] } }])
  const health = new Health({ signatures, time })
  const find = commandCapability({
    name: 'find',
    argv: [process.execPath, '-e', 'console.error(process.env.KEY + " is on holiday"); console.log("found")'],
    params: { key: { secret: true } },
    env: { KEY: '{key}' },
    provider: 'search',
    retry: 'none',
  })
  const { queue } = await testQueue({ time, health, capabilities: [find], env: { PATH: process.env.PATH } })
  await using _closed = queue
  expect(await queue.run('find', { key: 'correct horse' })).toMatchObject({ value: 'found' })
  const status = await health.status()
  expect(status).toMatchObject([
    { id: 'search', admits: false, paced: [{ failure: { class: 'throttle', kind: 'rate_limit' } }] },
  ])
  expect(JSON.stringify(status)).not.toContain('horse')
})
