import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { startLab } from '../../../lab/start.ts'
import { anthropicAt, startProxy } from '../../../test/gateway/proxy/proxy.ts'
import { BillKeeper } from '../../ledger/bill-keeper.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { Allowance, type AllowanceSettings } from './allowance.ts'

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

const BILLED = `event: message_start\ndata: ${JSON.stringify({
  type: 'message_start',
  message: {
    id: 'a',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 9, output_tokens: 1 },
  },
})}\n\n`
const WORD = `event: content_block_delta\ndata: ${JSON.stringify({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'hi' },
})}\n\n`

/** An upstream that bills every answer, and ends none. */
async function billing(body: string, isCut: boolean) {
  const seen = { requests: 0 }
  const server = createServer((_, to) => {
    seen.requests++
    to.writeHead(200, { 'content-type': 'text/event-stream' })
    to.write(body, () => isCut && to.destroy())
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Tests let more time pass than the proxy would wait. */
const PATIENT = { maxHoldMs: 1e12 }

const askModel = (url: string, stream = true) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: JSON.stringify({ model: 'm', max_tokens: 9, stream, messages: [] }),
  })

/** A head may come long before the rest. */
const wholeOf = async (asking: Promise<Response>) => {
  const answer = await asking
  return { status: answer.status, text: await answer.text() }
}

it('a provider that bills what it does not deliver is asked three times, not for as long as may be waited', async () => {
  const time = new FakeTime()
  const { seen, url: to } = await billing(BILLED, true)
  const { proxy, url } = await startProxy([anthropicAt(to)], { time, ...PATIENT })
  stops.push(() => proxy.stop())
  let isAnswered = false
  const answering = wholeOf(askModel(url)).finally(() => {
    isAnswered = true
  })
  while (!isAnswered) await time.advance(1_000)
  expect((await answering).text).toContain('3 tries that failed were billed')
  expect(seen.requests).toBe(3)
})

it('a provider that says inside its streams that it is overloaded is asked until it answers', async () => {
  const time = new FakeTime()
  const lab = await startLab({ answer: 'hello there' })
  lab.inject({ fault: 'stream_overloaded', times: 5 })
  const { proxy, url } = await startProxy([anthropicAt(lab.url)], { ...PATIENT, time })
  stops.push(
    () => lab.close(),
    () => proxy.stop(),
  )
  let isAnswered = false
  const answering = wholeOf(askModel(url)).finally(() => {
    isAnswered = true
  })
  while (!isAnswered) await time.advance(1_000)
  const { status, text } = await answering
  expect([status, lab.requests.length]).toEqual([200, 6])
  expect(text).toContain('message_stop')
})

it('what was spent is asked again before each round', async () => {
  const time = new FakeTime()
  const lab = await startLab({ answer: 'hello there' })
  lab.inject({ fault: 'server_error', times: 99 })
  let rounds = 0
  const bill = async () => [{ usd: rounds++ === 0 ? 0 : 5 }] as never
  const { proxy, url } = await startProxy([anthropicAt(lab.url)], {
    ...PATIENT,
    time,
    allowance: new Allowance(() => ({ clientDayUsd: 1 }), { bill }, time),
  })
  stops.push(
    () => lab.close(),
    () => proxy.stop(),
  )
  let isAnswered = false
  const answering = askModel(url, false).finally(() => {
    isAnswered = true
  })
  while (!isAnswered) await time.advance(1_000)
  const answer = await answering
  expect(answer.status).toBe(402)
  expect(await answer.text()).toContain('has spent $5.00 of $1.00 today')
  expect(lab.requests).toHaveLength(9)
})

it('a bill that cannot be read is told as that', async () => {
  const bill = () => Promise.reject(new Error('database is locked'))
  const time = new FakeTime()
  const { proxy, url, errors } = await startProxy([anthropicAt('http://nobody.test')], {
    allowance: new Allowance(() => ({ clientDayUsd: 1 }), { bill }, time),
  })
  stops.push(() => proxy.stop())
  const answer = await askModel(url)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { message: expect.stringMatching(/^Mulligan cannot read what was spent.*database is locked$/) },
  })
  expect(errors).toHaveLength(1)
})

it('a bill that cannot be read before another round is told in the stream that waits', async () => {
  const time = new FakeTime()
  const lab = await startLab({ answer: 'hello there' })
  lab.inject({ fault: 'server_error', times: 99 })
  let reads = 0
  const bill = async () => {
    // Later than the first beat, which begins the stream.
    if (reads++ < 5) return [] as never
    throw new Error('database is locked')
  }
  const { proxy, url, errors } = await startProxy([anthropicAt(lab.url)], {
    ...PATIENT,
    time,
    allowance: new Allowance(() => ({ clientDayUsd: 1 }), { bill }, time),
  })
  stops.push(
    () => lab.close(),
    () => proxy.stop(),
  )
  let isAnswered = false
  const answering = askModel(url)
    .then(answer => answer.text())
    .finally(() => {
      isAnswered = true
    })
  while (!isAnswered) await time.advance(1_000)
  const text = await answering
  expect(text).toContain('event: ping')
  expect(text).toMatch(/event: error\ndata: .*Mulligan cannot read what was spent.*database is locked/)
  expect(errors).toHaveLength(1)
})

it('a stream that is cut when the proxy stops is on the bill by then', async () => {
  const { url: to } = await billing(BILLED + WORD, false)
  const billed = vi.fn()
  const { proxy, url } = await startProxy([anthropicAt(to)], { billOf: () => billed, closeGraceMs: 0 })
  const answer = await askModel(url)
  const reading = answer.text().catch(() => 'cut')
  await proxy.stop()
  expect(billed).toHaveBeenCalledOnce()
  expect(await reading).toBe('cut')
})
