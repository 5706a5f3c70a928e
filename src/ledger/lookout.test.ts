import { expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { realTime } from '../time/time.ts'
import { LedgerError } from './error.ts'
import { Lookout } from './lookout.ts'

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'looks again after a change %i turns after the end of a look',
  async turns => {
    let looks = 0
    const lookout = new Lookout({
      time: realTime,
      onError: error => expect.unreachable(String(error)),
      look: async () => {
        looks += 1
      },
    })
    const first = lookout.now()
    for (let turn = 0; turn < turns; turn++) await undefined
    const seen = looks
    await lookout.now()
    expect(looks).toBeGreaterThan(seen)
    await first
    await lookout.close()
  },
)

it.each([
  ['tries again after a failure', new Error('away'), 1],
  ['does not ask a closed ledger again', new LedgerError('closed', 'the ledger is closed'), 0],
])('%s', async (_, error, timers) => {
  const time = new FakeTime()
  const errors: unknown[] = []
  const lookout = new Lookout({ time, onError: each => errors.push(each), look: () => Promise.reject(error) })
  await lookout.now()
  expect(errors).toEqual([error])
  expect(time.pending).toBe(timers)
  await lookout.close()
})
