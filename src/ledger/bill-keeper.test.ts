import { expect, it } from 'vitest'
import type { Spent } from '../call/bill.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { BillLine } from './bill.ts'
import { BillKeeper } from './bill-keeper.ts'

const spent = (more: Partial<Spent> = {}): Spent => ({
  at: 1_000,
  provider: 'p',
  model: 'm',
  session: undefined,
  usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1, cacheWriteTokens: 0 },
  costUsd: 0.25,
  isFailed: false,
  ...more,
})

function keeper(fails = () => false) {
  const written: BillLine[][] = []
  const errors: unknown[] = []
  const time = new FakeTime()
  const ledger = {
    addToBill: async (lines: readonly BillLine[]) => {
      if (fails()) throw new Error('busy')
      written.push([...lines])
    },
  }
  return {
    bill: new BillKeeper({ ledger, time, onError: error => errors.push(error) }),
    written,
    errors,
    time,
  }
}

it('writes once a second what was spent at each place', async () => {
  const { bill, written, time } = keeper()
  const claude = bill.of('claude', 's1')
  claude(spent())
  claude(spent({ isFailed: true, costUsd: null }))
  claude(spent({ session: 's2' }))
  expect(written).toEqual([])
  await time.advance(1_000)
  await bill.write()
  expect(written).toHaveLength(1)
  expect(
    written[0]?.map(({ session, tries, failed, unpriced, usd }) => [session, tries, failed, unpriced, usd]),
  ).toEqual([
    ['s1', 2, 1, 1, 0.25],
    ['s2', 1, 0, 0, 0.25],
  ])
})

it('loses nothing while the ledger is busy', async () => {
  let isBusy = true
  const { bill, written, errors, time } = keeper(() => isBusy)
  bill.of('codex')(spent())
  await bill.write()
  expect(errors).toHaveLength(1)
  bill.of('codex')(spent())
  isBusy = false
  await time.advance(1_000)
  await bill.close()
  expect(written.flat().map(({ client, tries, usd }) => [client, tries, usd])).toEqual([['codex', 2, 0.5]])
})

it('keeps names that clients choose short, and not too many', async () => {
  const { bill, written } = keeper()
  for (let n = 0; n < 1_200; n++) bill.of('x'.repeat(1_000), `s${n}`)(spent())
  await bill.close()
  const lines = written.flat()
  expect(lines.length).toBeLessThanOrEqual(1_001)
  expect(lines.reduce((sum, { tries }) => sum + tries, 0)).toBe(1_200)
  expect(lines[0]?.client).toHaveLength(100)
})
