import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Capability, defineCapability } from '../capability/index.ts'
import { scriptedCapability, testQueue } from '../testing/index.ts'
import { eachTest, make, queue, scripted, time } from '../testing/test-work.ts'
import { isHandedOver, isOperationFailed, isQueueError, type RunResult } from './index.ts'

const SECOND = 1_000
const reset = () => new Error('read ECONNRESET')

eachTest()
const calls = () => scripted.script.tries.length
const handed = (result: RunResult) => {
  if (!isHandedOver(result)) throw new Error('it was not handed over')
  return result
}
const ended = async (id: string) => {
  await queue.runner().start()
  return time.until(queue.wait(id))
}

describe('a call that failed elsewhere', () => {
  it('is written down with its failure as first try, and run when it can work', async () => {
    await make({ rest: 'done' })
    const params = { text: 'captured', position: 'top' }
    const result = handed(await queue.handOver('work', params, reset(), { session: 's-1' }))
    expect(result).toMatchObject({ queuedForRetry: true, retryAt: time.now() + 10 * SECOND })
    expect(await queue.ledger.get(result.operationId)).toMatchObject({
      state: 'scheduled',
      params,
      session: 's-1',
      retries: 1,
      attempts: 1,
      failure: { class: 'transient', kind: 'network' },
    })
    expect(calls()).toBe(0)
    expect(await ended(result.operationId)).toMatchObject({ state: 'succeeded', result: 'done', attempts: 2 })
  })

  it.each([
    ['done', 0],
    ['absent', 1],
  ] as const)('may have taken effect: it is asked first, and %s means %i calls', async (answer, expected) => {
    await make({ retry: 'verify_first', verify: () => answer })
    // What is there is told at once; nobody is told that it is not done yet.
    const result = await queue.handOver('work', {}, reset())
    expect(isHandedOver(result)).toBe(answer === 'absent')
    expect(await ended(result.operationId)).toMatchObject({ state: 'succeeded' })
    expect(calls()).toBe(expected)
  })

  it('and must not run twice is dead at once, with the cause', async () => {
    await make({ retry: 'none' })
    const cause = reset()
    const error = await queue.handOver('work', {}, cause).catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation.deadAs).toBe('unverifiable')
    expect(isOperationFailed(error) && error.cause).toBe(cause)
  })

  it('and can never succeed is dead at once', async () => {
    await make()
    const failed = { success: false, message: 'Invalid parameter: foo' }
    const error = await queue.handOver('work', {}, failed).catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation).toMatchObject({ deadAs: 'refused', attempts: 1 })
  })

  it('and waits for a limit is snoozed until that lifts', async () => {
    await make()
    const limit = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '90' } })
    const { retryAt } = handed(await queue.handOver('work', {}, limit))
    expect(retryAt).toBe(time.now() + 90 * SECOND)
  })

  it('is one operation under one key', async () => {
    await make()
    const [one, two] = [
      handed(await queue.handOver('work', { n: 1 }, reset(), { key: 'k' })),
      handed(await queue.handOver('work', { n: 1 }, reset(), { key: 'k' })),
    ]
    expect(two).toEqual(one)
    expect(await ended(one.operationId)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(await queue.handOver('work', { n: 1 }, reset(), { key: 'k' })).toMatchObject({ value: 'ok' })
  })

  it('keeps its failure while it waits for a variable, so that it is asked first then', async () => {
    const env: Record<string, string> = { TOKEN: 'first' }
    const asked: string[] = []
    const send = defineCapability({
      name: 'send',
      params: z.object({ token: z.string() }),
      secrets: ['token'],
      retry: 'verify_first',
      verify: () => {
        asked.push('verify')
        return true
      },
      run: () => asked.push('run'),
    })
    await make({}, { capabilities: [send as Capability], env })
    delete env.TOKEN
    const result = handed(await queue.handOver('send', { token: 'env:TOKEN' }, reset()))
    expect(result.parkedFor).toBe('secret')
    env.TOKEN = 'there again'
    expect(await ended(result.operationId)).toMatchObject({ state: 'succeeded' })
    expect(asked).toEqual(['verify'])
  })

  it('is not queued where its capability is not known, or nothing can be written', async () => {
    await make()
    const unknown = await queue.handOver('elsewhere', {}, reset()).catch((thrown: unknown) => thrown)
    expect(isQueueError(unknown) && unknown.code).toBe('unknown_capability')
    expect((await queue.ledger.counts()).total).toBe(0)
    const { capability } = scriptedCapability({ name: 'work' })
    const { queue: closed } = await testQueue({ capabilities: [capability], time })
    await closed.close()
    await expect(closed.handOver('work', {}, reset())).rejects.toThrow('closed')
  })
})
