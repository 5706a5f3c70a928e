import { afterEach, expect, it } from 'vitest'
import { startLab } from '../../../lab/start.ts'
import { BillKeeper } from '../../ledger/bill-keeper.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { Allowance, type AllowanceSettings } from './allowance.ts'
import { anthropicAt, startProxy } from './test-proxy.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A proxy whose every answer costs two dollars. */
async function proxyWith(settings: AllowanceSettings) {
  const time = new FakeTime()
  const lab = await startLab({ answer: 'hello there' })
  const ledger = await openLedger({ file: ':memory:' })
  const keeper = new BillKeeper({ ledger, time })
  const { proxy, url } = await startProxy([anthropicAt(lab.url)], {
    time,
    options: { health: new Health({ time }), time, random: () => 0, prices: () => 2 },
    allowance: new Allowance(() => settings, ledger, time),
    billOf: (client, session) => keeper.of(client, session),
  })
  stops.push(
    () => lab.close(),
    () => ledger.close(),
    () => keeper.close(),
    () => proxy.stop(),
  )
  const ask = async (client: string, session: string, stream = false) => {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'k',
        'user-agent': client,
        'x-session-id': session,
      },
      body: JSON.stringify({
        model: 'claude-lab-1',
        max_tokens: 9,
        stream,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    })
    const text = await answer.text()
    await keeper.write()
    await time.advance(2_000)
    return { status: answer.status, text, retry: answer.headers.get('x-should-retry') }
  }
  return { ask, ledger, lab, time }
}

it('a client that has spent its day is told so in the words of its vendor, and others are not', async () => {
  const { ask, lab, time } = await proxyWith({ clientDayUsd: 3 })
  expect((await ask('claude-cli/2', 'a')).status).toBe(200)
  expect((await ask('claude-cli/2', 'b', true)).status).toBe(200)
  const { status, text, retry } = await ask('claude-cli/2', 'c')
  expect([status, retry]).toEqual([402, 'false'])
  expect(JSON.parse(text)).toMatchObject({
    type: 'error',
    error: {
      message: expect.stringMatching(/^claude has spent \$4\.00 of \$3\.00 today; see client_day_usd/),
    },
  })
  expect((await ask('codex', 'c')).status).toBe(200)
  expect(lab.requests).toHaveLength(3)
  await time.advance(86_400_000)
  expect((await ask('claude-cli/2', 'c')).status).toBe(200)
})

it('a session that has spent its own is told so, and another begins anew', async () => {
  const { ask } = await proxyWith({ sessionUsd: 2 })
  expect((await ask('claude-cli/2', 'a', true)).status).toBe(200)
  expect((await ask('claude-cli/2', 'a')).text).toContain('this session has spent $2.00 of $2.00')
  expect((await ask('claude-cli/2', 'b')).status).toBe(200)
})

it('the bill says who spent how much on which model', async () => {
  const { ask, ledger } = await proxyWith({})
  await ask('claude-cli/2', 'talk', true)
  expect(await ledger.bill({ by: ['client', 'session', 'model'] })).toMatchObject([
    { client: 'claude', session: 'talk', model: 'claude-lab-1', tries: 1, usd: 2 },
  ])
})
