import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, make, queue, time } from '../../../test/work.ts'
import { defineCapability } from '../../capability/define.ts'
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'

eachTest()

describe('work whose run another runner has taken over', () => {
  /** A queue with work that records a session, which is refused, and waits for its signal. Returns the reasons it heard. */
  const madeWithWork = async () => {
    const ledger = await memoryLedger({ time })
    const engine = new EmbeddedEngine({ ledger })
    engine.record = async () => false
    const reasons: unknown[] = []
    const capability = defineCapability({
      name: 'talk',
      params: z.object({}),
      retry: 'replay',
      run: async (_params, { record, signal }) => {
        record({ sessionId: 's1' })
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
        reasons.push(signal.reason)
      },
    })
    await make({}, { ledger, engine, with: [capability] })
    return reasons
  }

  it('hears so when it records something', async () => {
    const reasons = await madeWithWork()
    await queue.runner().start()
    await queue.submit('talk', {})
    await time.advance(100)
    expect(reasons).toEqual(['lost'])
  })

  it('hears so while a caller waits', async () => {
    const reasons = await madeWithWork()
    const ended = queue.run('talk', {}).catch(() => undefined)
    await time.advance(100)
    expect(reasons).toEqual(['lost'])
    await time.until(ended)
  })
})
