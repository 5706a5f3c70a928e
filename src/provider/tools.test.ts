import { expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { Choice, Permit } from './gate.ts'
import { Health } from './health.ts'
import { MemoryStore } from './memory-store.ts'

const limit = classify('429 Too Many Requests') as Failure
const ask = (tool?: string) => ({ pool: ['server'], tool, tried: new Set<string>() })
const permitFor = async (health: Health, tool?: string) =>
  ((await health.choose(ask(tool))) as Extract<Choice, { permit: Permit }>).permit

it('pauses one tool of a server in all processes, and nothing else', async () => {
  const time = new FakeTime()
  const store = new MemoryStore()
  const here = new Health({ store, time })
  const elsewhere = new Health({ store, time })
  const permit = await permitFor(here, 'search')
  permit.failed(limit, { breaker: 'none', ofTool: true, blockUntil: time.now() + 60_000 })
  await here.flush()
  await elsewhere.ready()
  for (const health of [here, elsewhere]) {
    expect(await health.choose(ask('search'))).toMatchObject({
      failure: { resetAt: time.now() + 60_000 },
    })
    expect(await health.choose(ask('fetch'))).toHaveProperty('permit.provider', 'server')
    expect(await health.choose(ask())).toHaveProperty('permit.provider', 'server')
  }
  expect((await here.status())[0]).toMatchObject({ admits: true, loginRefused: false })
})

it('ends the pause of a tool when a later call of it works, and not when another tool does', async () => {
  const time = new FakeTime()
  const health = new Health({ time })
  const [first, later] = [await permitFor(health, 'search'), await permitFor(health, 'fetch')]
  first.failed(limit, { breaker: 'none', ofTool: true, blockUntil: time.now() + 60_000 })
  later.succeeded()
  expect(await health.choose(ask('search'))).toHaveProperty('failure')
  const again = await health.choose({ ...ask('search'), again: 'server', after: limit })
  await time.advance(1)
  const retried = await health.choose({ ...ask('search'), again: 'server', after: limit })
  expect(again).toHaveProperty('permit.provider', 'server')
  ;(retried as { permit: Permit }).permit.succeeded()
  expect(await health.choose(ask('search'))).toHaveProperty('permit.provider', 'server')
})

it('counts nothing against the server for what a tool says of a login', async () => {
  const health = new Health({ time: new FakeTime() })
  const refused = classify({ status: 401, body: 'invalid api key' }) as Failure
  const permit = await permitFor(health, 'search')
  permit.failed(refused, { breaker: 'none', ofTool: true })
  expect((await health.status())[0]).toMatchObject({ admits: true, loginRefused: false, blocks: [] })
})
