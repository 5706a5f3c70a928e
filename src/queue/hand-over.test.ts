import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, make, queue, scripted, time } from '../../test/work.ts'
import { call } from '../call/call.ts'
import type { CallFailed } from '../call/call-failed.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { scriptedCall } from '../testing/core/scripted-call.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { isOperationFailed, isQueueError } from './error.ts'
import { isHandedOver, type RunResult } from './run-result.ts'

const SECOND = 1_000
const resumeLater: Verdict = { action: 'retry', delayMs: SECOND, mode: 'resume', reason: 'r', rule: 'r' }
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
  it('is stored with its failure as first try, and runs when it can succeed', async () => {
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

  it('has used up the retries of its caller, not those of the queue, and its policy knows', async () => {
    const seen: unknown[] = []
    const policy = (_failure: unknown, { retries, foreground }: Circumstances): undefined => {
      seen.push({ retries, foreground })
    }
    await make({ policy })
    await queue.handOver('work', {}, reset(), { tries: 3 })
    expect(seen).toEqual([{ retries: 0, foreground: 2 }])
  })

  it('continues its session, although no run of the queue began it', async () => {
    const cut = new KnownFailure(failureOfKind({ kind: 'stream_cut', effect: 'maybe', sessionId: 's-7' }))
    await make({ resumable: true, policy: () => resumeLater, rest: 'done' })
    const { operationId } = handed(await queue.handOver('work', {}, cut))
    expect(await queue.ledger.get(operationId)).toMatchObject({ agentSession: 's-7' })
    await ended(operationId)
    expect(scripted.script.tries.map(({ resumed }) => resumed)).toEqual(['s-7'])
  })

  it.each([
    ['done', 0],
    ['absent', 1],
  ] as const)(
    'may have taken effect: it is verified first, and %s means %i calls',
    async (answer, expected) => {
      await make({ retry: 'verify_first', verify: () => answer })
      // If it is done, the caller learns that at once instead of "not done yet".
      const result = await queue.handOver('work', {}, reset())
      expect(isHandedOver(result)).toBe(answer === 'absent')
      expect(await ended(result.operationId)).toMatchObject({ state: 'succeeded' })
      expect(calls()).toBe(expected)
    },
  )

  it('that must not run twice is dead at once, with the cause', async () => {
    await make({ retry: 'none' })
    const cause = reset()
    const error = await queue.handOver('work', {}, cause).catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation.deadAs).toBe('unverifiable')
    expect(isOperationFailed(error) && error.cause).toBe(cause)
  })

  it('that no provider admitted has done nothing, and runs once one does', async () => {
    await make({ retry: 'none', provider: 'a' })
    const gate = queue.health
    const refused = () => {
      throw Object.assign(new Error('invalid x-api-key'), { status: 401 })
    }
    const callOnce = () =>
      call(refused, { provider: 'a', health: gate, time }).catch((thrown: unknown) => thrown as CallFailed)
    await callOnce()
    const failed = await callOnce()
    expect(failed).toMatchObject({ attempts: [] })
    const { operationId } = handed(await queue.handOver('work', {}, failed))
    expect(await queue.ledger.attempts(operationId)).toMatchObject([{ failure: { effect: 'none' } }])
    await queue.runner().start()
    await gate.reset('a')
    expect(await time.until(queue.wait(operationId))).toMatchObject({ state: 'succeeded' })
    expect(calls()).toBe(1)
  })

  it('that can never succeed is dead at once', async () => {
    await make()
    const failed = { success: false, message: 'Invalid parameter: foo' }
    const error = await queue.handOver('work', {}, failed).catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation).toMatchObject({ deadAs: 'refused', attempts: 1 })
  })

  it('that waits for a limit is snoozed until the limit lifts', async () => {
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

  it('keeps its failure while it waits for a variable, so that it is verified first', async () => {
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

  it('is not queued if its capability is unknown, or nothing can be written', async () => {
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

describe('a call that failed elsewhere, with its provider', () => {
  const MINUTE = 60 * SECOND
  const http = (status: number, message: string, headers: Record<string, string> = {}) =>
    Object.assign(new Error(message), { status, headers })
  const limited = () => http(429, 'Too Many Requests', { 'retry-after': '3600' })
  const unpaid = () => http(402, 'Your credit balance is too low')
  const loggedOut = () => http(401, 'invalid x-api-key')
  const status = async (id: string) => (await queue.health.status()).find(provider => provider.id === id)

  it('waits as long as its limit says, as does every other operation', async () => {
    await make({ provider: 'a' })
    const result = handed(await queue.handOver('work', {}, limited()))
    const until = time.now() + 3_600 * SECOND
    expect(result).toMatchObject({ retryAt: until })
    expect(await status('a')).toMatchObject({ admits: false, until })
    await queue.runner().start()
    await time.advance(30 * MINUTE)
    expect(calls()).toBe(0)
    expect(await time.until(queue.wait(result.operationId))).toMatchObject({ state: 'succeeded' })
  })

  it('waits for a limit without a time as long as its provider says at least', async () => {
    await make({ provider: 'a' })
    const slow = () => http(429, 'Too Many Requests')
    const waits = async () => {
      const { retryAt = 0 } = handed(await queue.handOver('work', {}, slow()))
      const ms = retryAt - time.now()
      await time.advance(ms)
      return ms
    }
    expect([await waits(), await waits(), await waits()]).toEqual([750, 1_500, 3_000])
  })

  it.each([
    ['payment', unpaid],
    ['login', loggedOut],
  ] as const)('is parked for %s, and its provider is blocked', async (parkedFor, failed) => {
    await make({ provider: 'a' })
    const result = handed(await queue.handOver('work', {}, failed()))
    expect(await queue.ledger.get(result.operationId)).toMatchObject({ state: 'parked', parkedFor })
    expect(await status('a')).toMatchObject({ admits: false })
  })

  it('goes to the next provider of its pool, and not back to the one that failed', async () => {
    await make({ pool: ['a', 'b'] })
    const result = handed(await queue.handOver('work', {}, limited(), { provider: 'a' }))
    expect(await ended(result.operationId)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['b'])
    expect(await status('a')).toMatchObject({ admits: false })
    expect(await status('b')).toMatchObject({ admits: true })
  })

  it('updates no health if its provider is unknown', async () => {
    await make({ pool: ['a', 'b'] })
    await queue.handOver('work', {}, limited())
    expect((await queue.health.status()).every(({ admits }) => admits)).toBe(true)
  })

  it('stores the tries made, which leave all retries to the queue', async () => {
    await make({ maxRetries: 3 })
    const { operationId } = handed(await queue.handOver('work', {}, reset(), { tries: 3 }))
    expect(await queue.ledger.get(operationId)).toMatchObject({ retries: 3, attempts: 3 })
    await make({ maxRetries: 0 })
    const error = await queue.handOver('work', {}, reset(), { tries: 4 }).catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation).toMatchObject({ deadAs: 'exhausted', attempts: 4 })
    await expect(queue.handOver('work', {}, reset(), { tries: 1e6 })).rejects.toThrow('not 1000000')
    await expect(queue.handOver('work', {}, reset(), { tries: 0 })).rejects.toThrow(
      'tries must be a whole number from 1 to 1000, not 0',
    )
  })

  it('keeps its tries and its provider if call() made it', async () => {
    await make({ provider: 'a', maxRetries: 5 })
    const gate = new Health({ time, random: () => 0 })
    const work = scriptedCall([{ throws: http(529, 'Overloaded') }, { throws: limited() }])
    const failed = await time.until(
      call(work, { provider: 'a', health: gate, time, random: () => 0 }).catch((thrown: unknown) => thrown),
    )
    const { operationId, ...rest } = handed(await queue.handOver('work', {}, failed))
    expect(rest).toMatchObject({ retryAt: expect.any(Number) })
    expect(await queue.ledger.get(operationId)).toMatchObject({ retries: 1, attempts: 2, snoozes: 1 })
    expect((await queue.ledger.attempts(operationId)).map(({ failure }) => failure?.kind)).toEqual([
      'overloaded',
      'rate_limit',
    ])
    expect(await status('a')).toMatchObject({ admits: false })
  })
})
