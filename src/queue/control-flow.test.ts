import { expect, it } from 'vitest'
import { eachTest, make, now, queue, submitted, time } from '../../test/work.ts'

eachTest()

class GraphInterrupt extends Error {
  override name = 'GraphInterrupt'
}

it('parks an operation whose function throws control flow, for a person: there is no caller to catch it', async () => {
  await make({ script: [{ throws: new GraphInterrupt('waiting for approval') }] })
  const id = await submitted()
  for (let looks = 0; looks < 500 && (await now(id)).state !== 'parked'; looks++) await time.advance(100)
  expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'label', attempts: 1 })
  expect(await queue.ledger.attempts(id)).toMatchObject([
    { failure: { class: 'unknown', message: 'waiting for approval' } },
  ])
})
