import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { commonCases } from '../../unknown/backtest.ts'
import { Unknowns } from '../../unknown/unknowns.ts'

let api: TestApi
beforeAll(async () => {
  api = await TestApi.start()
})
afterAll(() => api.close())

const patterns = (count: number, text = 'flux') =>
  Array.from(
    { length: count },
    (_, n) => `[[signature]]\nclass = "transient"\npattern = "${text} ${n}"\n`,
  ).join('')
const asked = (signatures: string) =>
  api.send('/v1/backtest', { method: 'POST', body: { signatures }, token: api.readOnlyToken })

it('a backtest over HTTP takes no more patterns than the daemon can compile between two renewals', async () => {
  expect(await asked(patterns(101))).toMatchObject({
    status: 422,
    json: { detail: expect.stringContaining('has 101 patterns') },
  })
  expect(await asked(patterns(90, 'x'.repeat(300)))).toMatchObject({
    status: 422,
    json: { detail: expect.stringMatching(/at most 100 of 20000 characters/) },
  })
  expect(await asked(patterns(11_421))).toMatchObject({ status: 413 })
  expect(await asked(patterns(3))).toMatchObject({ status: 200 })
})

it('a backtest counts patterns in every form', async () => {
  const list = Array.from({ length: 101 }, (_, n) => `"flux ${n}"`).join(', ')
  const signatures = `[[provider]]\nid = "a"\nerror_signatures = { flake = [${list}] }\n`
  expect(await asked(signatures)).toMatchObject({ status: 422 })
})

it('the daemon answers others while a backtest at its limits runs', async () => {
  // As many patterns and characters as are allowed, each with a large automaton of its own.
  const heavy = Array.from(
    { length: 100 },
    (_, n) => `[[signature]]\nclass = "transient"\npattern = '''(x|y|[a-z0-9 ]{1,90}z){1,3} ${n}$'''\n`,
  ).join('')
  const answers: string[] = []
  const backtest = asked(heavy).then(({ status }) => answers.push(`backtest ${status}`))
  // The thread is asked for once the daemon has read the body; from then on each answer comes between.
  await new Promise(resolve => process.once('worker', resolve))
  const { status } = await api.send('/healthz', { token: null })
  answers.push(`healthz ${status}`)
  await backtest
  expect(answers).toEqual(['healthz 200', 'backtest 200'])
})

it('a backtest whose client goes away is ended, and the next one runs', async () => {
  const client = new AbortController()
  const thread = new Promise<Worker>(resolve => process.once('worker', resolve))
  const left = fetch(`${api.url}/v1/backtest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.readOnlyToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ signatures: patterns(100) }),
    signal: client.signal,
  })
  const ended = once(await thread, 'exit')
  client.abort()
  await expect(left).rejects.toThrow()
  await ended
  expect(await asked(patterns(5))).toMatchObject({ status: 200 })
})

it('a pack is tried off the event loop too', async () => {
  const thread = new Promise(resolve => process.once('worker', resolve))
  const body = { pack: patterns(101), dry_run: true }
  const [answer] = await Promise.all([api.send('/v1/labels/pack', { method: 'POST', body }), thread])
  expect(answer).toMatchObject({ status: 200, json: { taken: false } })
})

it('a backtest lets everything else go first after each failure', async () => {
  const ledger = await memoryLedger()
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await new Unknowns(ledger).backtest([{ pattern: 'flux', class: 'transient' } as never])
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(commonCases().length)
  await ledger.close()
})
