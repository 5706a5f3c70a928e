import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { commonCases } from '../../unknown/backtest.ts'
import { Unknowns } from '../../unknown/unknowns.ts'
import { TestApi } from './test-api.ts'

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
