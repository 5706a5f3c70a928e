import { describe, expect, it } from 'vitest'
import { BILL_AFTER_MS, BILL_STEP_MS, type BillLine, type BillQuery } from '../../../src/ledger/bill.ts'
import { ledger, other, time } from './setting.ts'

const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 40, cacheWriteTokens: 5 }
const one = (more: Partial<BillLine> = {}): BillLine => ({
  at: 0,
  client: 'claude',
  session: 's1',
  provider: 'anthropic',
  model: 'm',
  tries: 1,
  failed: 0,
  unpriced: 0,
  usd: 0.5,
  usage,
  ...more,
})
const step = (at: number) => at - (at % BILL_STEP_MS)

export function billConformance(): void {
  describe('its bill', () => {
    it('adds what is spent at the same place, from all processes', async () => {
      await ledger.addToBill([one({ at: step(time.now()) }), one({ at: step(time.now()), client: 'codex' })])
      await other.addToBill([one({ at: step(time.now()), failed: 1, unpriced: 1, usd: 0 })])
      expect(await ledger.bill({ client: 'claude' })).toEqual([
        {
          tries: 2,
          failed: 1,
          unpriced: 1,
          usd: 0.5,
          usage: { inputTokens: 200, outputTokens: 20, cachedTokens: 80, cacheWriteTokens: 10 },
        },
      ])
    })

    it('sums by client, session, provider, model or time, the largest first', async () => {
      const at = step(time.now())
      await ledger.addToBill([
        one({ at, session: 'a', usd: 1 }),
        one({ at, session: 'b', usd: 3 }),
        one({ at: at + BILL_STEP_MS, session: 'a', usd: 1 }),
      ])
      const bySession = await ledger.bill({ by: ['session'] })
      expect(bySession.map(({ session, usd }) => [session, usd])).toEqual([
        ['b', 3],
        ['a', 2],
      ])
      const byTime = await ledger.bill({ by: ['at', 'client'], session: 'a', since: at + 1 })
      expect(byTime.map(row => [row.at, row.client, row.usd])).toEqual([[at + BILL_STEP_MS, 'claude', 1]])
      expect(await ledger.bill({ by: ['session'], limit: 1 })).toHaveLength(1)
      expect(await ledger.bill({ until: at })).toEqual([])
    })

    it('has what was spent from a time on and before another, at one provider, by one model', async () => {
      const at = step(time.now())
      const place = { provider: 'openai', model: 'n' }
      await ledger.addToBill([one({ at, usd: 1 }), one({ at: at + BILL_STEP_MS, usd: 2, ...place })])
      const usd = async (query: BillQuery) => (await ledger.bill(query)).map(row => row.usd)
      expect(await usd({ since: at })).toEqual([3])
      expect(await usd({ since: at + BILL_STEP_MS })).toEqual([2])
      expect(await usd({ until: at + BILL_STEP_MS })).toEqual([1])
      expect(await usd({ provider: 'openai' })).toEqual([2])
      expect(await usd({ model: 'm' })).toEqual([1])
      expect(await usd({ provider: 'openai', model: 'm' })).toEqual([])
    })

    it('has first what used most tokens, where both cost nothing', async () => {
      const free = { at: step(time.now()), usd: 0 }
      const small = { ...usage, inputTokens: 1 }
      await ledger.addToBill([one({ ...free, session: 'a', usage: small }), one({ ...free, session: 'b' })])
      expect((await ledger.bill({ by: ['session'] })).map(({ session }) => session)).toEqual(['b', 'a'])
    })

    it('forgets sessions and times of long ago, never what was spent', async () => {
      const at = step(time.now())
      await ledger.addToBill([one({ at, session: 'a' }), one({ at, session: 'b' })])
      await time.advance(BILL_AFTER_MS + BILL_STEP_MS)
      await ledger.addToBill([one({ at: step(time.now()), session: 'c' })])
      await ledger.prune()
      await ledger.prune()
      const lines = await ledger.bill({ by: ['at', 'session', 'client'] })
      expect(lines.map(row => [row.at, row.session, row.client, row.usd])).toEqual([
        [0, '', 'claude', 1],
        [step(time.now()), 'c', 'claude', 0.5],
      ])
    })
  })
}
