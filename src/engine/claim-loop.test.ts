import { expect, it } from 'vitest'
import { LedgerError } from '../ledger/error.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { ClaimLoop } from './claim-loop.ts'

it('sets no timer any more once its ledger is closed, although a claim was never answered', async () => {
  const time = new FakeTime()
  let isClosed = false
  const errors: unknown[] = []
  const answer = async () => {
    if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
  }
  const engine = { onWork: () => () => {}, claim: () => new Promise(() => {}) }
  const loop = new ClaimLoop({
    engine: engine as never,
    ledger: { advertise: answer, withdraw: answer } as never,
    id: 'r1',
    capabilities: ['a'],
    work: async () => 'ended',
    onError: error => errors.push(error),
    time,
  })
  await loop.start()
  await time.advance(600_000)
  // It announces itself and renews its leases.
  expect(time.pending).toBe(2)
  void loop.stop()
  isClosed = true
  await time.advance(600_000)
  expect(time.pending).toBe(0)
  expect(errors).toHaveLength(1)
})
