import { describe, expect, it } from 'vitest'
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

describe('a run of which only the end is left to be written', () => {
  /** Starts a loop with this many slots and three due operations. Returns what was claimed and started while no end is written. */
  const startedBy = async (concurrency: number, hasWorked: boolean) => {
    const started: string[] = []
    const limits: number[] = []
    const due = ['op_1', 'op_2', 'op_3']
    const claim = async ({ limit }: { limit: number }) => {
      limits.push(limit)
      const runs = due.splice(0, limit).map(id => ({ operation: { id }, fence: { id, run: 1 }, leaseMs: 1 }))
      return { runs }
    }
    const written = Promise.withResolvers<'ended'>()
    const loop = new ClaimLoop({
      engine: { onWork: () => () => {}, claim } as never,
      ledger: { advertise: async () => {}, withdraw: async () => {} } as never,
      id: 'r1',
      capabilities: ['a'],
      concurrency,
      work: async ({ fence }, _, { worked }) => {
        started.push(fence.id)
        if (hasWorked) worked()
        // A second word changes nothing.
        if (hasWorked) worked()
        return written.promise
      },
      time: new FakeTime(),
    })
    await loop.start()
    await settled()
    const before = [...started]
    written.resolve('ended')
    await settled()
    await loop.stop()
    return { before, started, most: Math.max(...limits) }
  }

  it('leaves its slot to another, until as many ends wait as there are slots', async () => {
    const due = ['op_1', 'op_2', 'op_3']
    expect(await startedBy(2, true)).toEqual({ before: due, started: due, most: 2 })
    expect(await startedBy(2, false)).toEqual({ before: ['op_1', 'op_2'], started: due, most: 2 })
  })

  it('keeps the only slot', async () => {
    const due = ['op_1', 'op_2', 'op_3']
    expect(await startedBy(1, true)).toEqual({ before: ['op_1'], started: due, most: 1 })
  })
})

/** Resolves when everything that needs no timer has happened. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(resolve => void setImmediate(resolve))
}
