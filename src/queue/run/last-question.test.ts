import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../../capability/define.ts'
import type { CheckAnswer } from '../../capability/verification.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { testQueue } from '../../testing/test-queue.ts'

const HOUR = 3_600_000
const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

/** A queue whose work always fails after it may have taken effect, and is checked by `answer`. */
async function failing(answer: (asked: number) => CheckAnswer, verification: { delayMs?: number } = {}) {
  const time = new FakeTime()
  const log: string[] = []
  const capability = defineCapability({
    name: 'work',
    params: z.object({}),
    retry: 'verify_first',
    maxRetries: 0,
    run: (): never => {
      log.push('run')
      throw reset
    },
    verify: {
      ...verification,
      check: () => {
        log.push('asked')
        return answer(log.filter(word => word === 'asked').length)
      },
    },
  })
  const { queue } = await testQueue({ capabilities: [capability], time })
  await queue.runner().start()
  const { id } = await queue.submit('work', {})
  const ended = () => time.until(queue.wait(id))
  return { queue, time, log, id, ended }
}

describe('work that is verified first, at its retry limit', () => {
  it('succeeds if it took effect', async () => {
    const { queue, ended, log } = await failing(() => ({ state: 'done', value: 'receipt 7' }))
    expect(await ended()).toMatchObject({ state: 'succeeded', result: 'receipt 7' })
    expect(log).toEqual(['run', 'asked'])
    await queue.close()
  })

  it('is dead if it had no effect, and is not run again', async () => {
    const { queue, ended, log } = await failing(() => false)
    expect(await ended()).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
    expect(log).toEqual(['run', 'asked'])
    await queue.close()
  })

  it.each([
    [true, { state: 'succeeded' }],
    [false, { state: 'dead', deadAs: 'exhausted' }],
  ])('delays the check until a late effect would show: %s', async (isThere, end) => {
    const { queue, time, ended, log, id } = await failing(() => isThere, { delayMs: HOUR })
    await time.advance(HOUR - 1)
    expect(log).toEqual(['run'])
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled' })
    expect(await ended()).toMatchObject(end)
    expect(log).toEqual(['run', 'asked'])
    await queue.close()
  })

  it('is checked again while the answer is unsure', async () => {
    const { queue, ended, log } = await failing(asked => (asked < 3 ? 'unsure' : true))
    expect(await ended()).toMatchObject({ state: 'succeeded' })
    expect(log).toEqual(['run', 'asked', 'asked', 'asked'])
    await queue.close()
  })

  it('is dead in the end if no check can tell, and never runs blindly', async () => {
    const { queue, ended, log } = await failing(() => 'unsure')
    expect(await ended()).toMatchObject({ state: 'dead' })
    expect(log.filter(word => word === 'run')).toHaveLength(1)
    await queue.close()
  })

  it('runs again once a person revives it, whatever its end was', async () => {
    const { queue, ended, log, id } = await failing(() => false, { delayMs: HOUR })
    await ended()
    expect(await queue.retry(id)).toBe('revived')
    expect(await ended()).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
    expect(log).toEqual(['run', 'asked', 'asked', 'run', 'asked'])
    await queue.close()
  })

  it('succeeds for a waiting caller, and if the try was made elsewhere', async () => {
    const { queue, time } = await failing(() => ({ state: 'done', value: 'receipt 7' }))
    expect(await time.until(queue.run('work', {}))).toMatchObject({ value: 'receipt 7' })
    expect(await time.until(queue.handOver('work', {}, reset))).toMatchObject({ value: 'receipt 7' })
    await queue.close()
  })
})
