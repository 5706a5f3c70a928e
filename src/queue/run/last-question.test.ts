import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../../capability/define.ts'
import type { CheckAnswer } from '../../capability/verification.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { testQueue } from '../../testing/test-queue.ts'

const HOUR = 3_600_000
const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

/** A queue whose work always fails after it may have taken effect, and is checked by `answer`. */
async function failing(
  answer: (asked: number, signal: AbortSignal) => CheckAnswer | Promise<CheckAnswer>,
  verification: { delayMs?: number } = {},
) {
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
      check: (_params, { signal }) => {
        log.push('asked')
        return answer(log.filter(word => word === 'asked').length, signal)
      },
    },
  })
  const { queue } = await testQueue({ capabilities: [capability], time })
  const runner = queue.runner()
  await runner.start()
  const { id } = await queue.submit('work', {})
  const ended = () => time.until(queue.wait(id))
  return { queue, runner, time, log, id, ended }
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

  it('is checked by the next runner if its own stops meanwhile', async () => {
    const untilStopped = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { queue, runner, time, log, id, ended } = await failing((asked, signal) =>
      asked === 1 ? untilStopped(signal) : { state: 'done', value: 'receipt 7' },
    )
    await time.advance(1_000)
    expect(log).toEqual(['run', 'asked'])
    await time.until(runner.stop())
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled' })
    await queue.runner().start()
    expect(await ended()).toMatchObject({ state: 'succeeded', result: 'receipt 7' })
    expect(log).toEqual(['run', 'asked', 'asked'])
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
