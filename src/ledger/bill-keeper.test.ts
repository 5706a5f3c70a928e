import { expect, it } from 'vitest'
import type { Spent } from '../call/bill.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { BillLine } from './bill.ts'
import { BillKeeper } from './bill-keeper.ts'
import { LedgerError } from './error.ts'
import { UnsureCommit } from './postgres/unsure-commit.ts'

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

function keeper(fails: (lines: readonly BillLine[]) => unknown = () => false) {
  const written: BillLine[][] = []
  const errors: unknown[] = []
  const time = new FakeTime()
  const ledger = {
    addToBill: async (lines: readonly BillLine[]) => {
      const failed = fails(lines)
      if (failed) throw failed === true ? new Error('busy') : failed
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

it('counts whole tokens, whatever an answer says', async () => {
  const { bill, written } = keeper()
  bill.of('a')(
    spent({
      usage: { inputTokens: 1.5, outputTokens: Number.NaN, cachedTokens: -3, cacheWriteTokens: 1e300 },
      costUsd: Number.NaN,
    }),
  )
  await bill.close()
  expect(written.flat()).toMatchObject([
    { usd: 0, usage: { inputTokens: 2, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 1e12 } },
  ])
})

it('a line that the ledger never takes does not keep others from the bill', async () => {
  const refused = new LedgerError('io', 'cannot write', {
    cause: Object.assign(new Error(), { code: '22003' }),
  })
  const { bill, written, errors } = keeper(lines => lines.some(({ client }) => client === 'bad') && refused)
  for (const client of ['good', 'bad', 'fine']) bill.of(client)(spent())
  await bill.write()
  bill.of('good')(spent())
  await bill.close()
  expect(written.flat().map(({ client, tries }) => [client, tries])).toEqual([
    ['good', 1],
    ['fine', 1],
    ['good', 1],
  ])
  expect(errors).toEqual([refused])
})

it('does not write again what may be on the bill', async () => {
  const unsure = new UnsureCommit('unknown whether it was stored')
  let isLost = true
  const { bill, written, errors } = keeper(() => isLost && unsure)
  bill.of('a')(spent())
  await bill.write()
  isLost = false
  await bill.close()
  expect(written).toEqual([])
  expect(errors).toEqual([unsure])
})
