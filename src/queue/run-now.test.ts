import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, make, queue, scripted, time } from '../../test/work.ts'
import type { CallEvent } from '../call/event.ts'
import { defineCapability } from '../capability/define.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { sleep } from '../time/time.ts'
import { isOperationFailed } from './error.ts'
import { type HandedOver, isHandedOver } from './run-result.ts'

const SECOND = 1_000

eachTest()
const run = (options = {}) => time.until(queue.run('work', { n: 1 }, options))
const handed = async (options = {}): Promise<HandedOver> => {
  const result = await run(options)
  if (!isHandedOver(result)) throw new Error('it was not handed over')
  return result
}
const get = (id: string) => queue.ledger.get(id)

describe('run', () => {
  it('returns the value at once on success, and keeps a record', async () => {
    await make({ rest: 'done' })
    const result = await run()
    expect(result).toEqual({ value: 'done', operationId: 'op_1' })
    expect(await get('op_1')).toMatchObject({ state: 'succeeded', source: 'run', run: 1, attempts: 1 })
  })

  it('keeps a short lease, although a run with a long one began before it', async () => {
    const slow = scriptedCapability({ name: 'slow', script: [{ hangs: true }] }).capability
    await make({ leaseMs: 3 * SECOND, script: [{ hangs: true }] }, { with: [slow] })
    const running = [queue.run('slow'), queue.run('work')]
    for (let second = 0; second < 9; second++) {
      await time.advance(SECOND)
      const other = { runner: 'other', capabilities: ['work', 'slow'], limit: 2 }
      expect((await queue.engine.claim(other)).runs).toEqual([])
    }
    await time.until(Promise.all(running))
  })

  it('keeps a long lease, although ever shorter ones begin beside it', async () => {
    const hanging = (name: string, leaseSeconds: number) =>
      scriptedCapability({ name, leaseMs: leaseSeconds * SECOND, script: [{ hangs: true }] }).capability
    const others = [hanging('b', 27), hanging('c', 24), hanging('d', 23)]
    await make({ leaseMs: 30 * SECOND, script: [{ hangs: true }] }, { with: others })
    const starts: Record<number, string> = { 0: 'work', 9: 'b', 17: 'c', 24: 'd' }
    const running: Promise<unknown>[] = []
    for (let second = 0; second < 32; second++) {
      const name = starts[second]
      if (name !== undefined) running.push(queue.run(name, undefined, { budgetMs: 60 * SECOND }))
      await time.advance(SECOND)
      const other = { runner: 'other', capabilities: ['work', 'b', 'c', 'd'], limit: 4 }
      expect((await queue.engine.claim(other)).runs).toEqual([])
    }
    await time.until(Promise.all(running))
  })

  it('retries in process while its budget lasts, and counts these retries', async () => {
    await make({ script: [{ fails: 'eof' }, { fails: 'eof' }] })
    expect(await run()).toMatchObject({ value: 'ok' })
    expect(await get('op_1')).toMatchObject({ run: 1, attempts: 3, retries: 2 })
  })

  it('reports its tries as a call does, and no listener can break it', async () => {
    await make({ pool: ['a', 'b'], script: [{ fails: 'eof' }, { fails: 'auth' }] })
    const events: CallEvent[] = []
    await run({
      onEvent: (event: CallEvent) => {
        events.push(event)
        throw new Error('a listener of the user')
      },
    })
    expect(events.map(({ type }) => type)).toEqual([
      'attempt.started',
      'attempt.failed',
      'waiting',
      'attempt.started',
      'attempt.failed',
      'failed.over',
      'attempt.started',
    ])
    expect(events[0]).toMatchObject({ call: 'op_1', name: 'work', attempt: 1, provider: 'a' })
    expect(events[2]).toMatchObject({
      delayMs: expect.any(Number),
      reason: expect.stringContaining('retry 1 of 2'),
    })
    expect(events[4]).toMatchObject({
      attempt: 2,
      failure: { kind: 'auth' },
      verdict: { action: 'failover' },
    })
    expect(events[5]).toMatchObject({ from: 'a', to: 'b' })
    expect(events[6]).toMatchObject({ attempt: 3, provider: 'b' })
  })

  it('says at the start of each try what runs: capability, names of parameters, meta, and no value that may be secret', async () => {
    await make({ script: [{ fails: 'eof' }] })
    const meta = { team: 'blue', key: `sk-ant-api03-${'A'.repeat(32)}` }
    const events: CallEvent[] = []
    const params = { prompt: 'a private task', meta }
    await time.until(queue.run('work', params, { onEvent: event => events.push(event) }))
    const starts = events.filter(({ type }) => type === 'attempt.started')
    expect(starts).toHaveLength(2)
    for (const start of starts)
      expect(start).toMatchObject({ capability: 'work', params: ['prompt', 'meta'], meta: { team: 'blue' } })
    expect(JSON.stringify(starts)).not.toMatch(/private task|AAAA/)
  })

  it('hands over when retries in process are used up; a runner finishes it', async () => {
    await make({ script: [{ fails: 'eof' }, { fails: 'eof' }, { fails: 'eof' }] })
    const { operationId, retryAt, retryHint } = await handed()
    expect(retryAt).toBe(time.now() + 10 * SECOND)
    expect(retryHint).toContain(
      'Not done yet: it is queued and runs again automatically at 2026-01-01T00:00:1',
    )
    expect(retryHint).toContain('Move on to other work, and do not start it again.')
    expect(retryHint).toContain(`To hear how it ends: mulligan ops wait ${operationId}`)
    expect(await get(operationId)).toMatchObject({ state: 'scheduled', retries: 3, attempts: 3 })
    await queue.runner().start()
    expect(await time.until(queue.wait(operationId))).toMatchObject({ state: 'succeeded', run: 2 })
  })

  it('waits in the queue from the first step of the backoff, however often it was tried in process', async () => {
    await make({ script: Array.from({ length: 9 }, () => ({ fails: 'eof' as const })) })
    const { operationId } = await handed()
    await queue.runner().start()
    const { waits, retries } = await time.until(queue.wait(operationId))
    expect({ waits, retries }).toEqual({ waits: 5, retries: 7 })
    const started = (await queue.ledger.attempts(operationId)).slice(2).map(({ startedAt }) => startedAt)
    const between = started.slice(1).map((at, index) => (at - (started[index] as number)) / SECOND)
    expect(between).toEqual([10, 20, 45, 90, 120])
  })

  it('says in its hint what is in the way: no runner, none with the capability, a pause', async () => {
    const failing = () => Array.from({ length: 20 }, () => ({ fails: 'eof' as const }))
    await make({ script: failing() })
    const alone = await handed()
    expect(alone.hasRunner).toBe(false)
    expect(alone.retryHint).toContain('No runner is alive, so nothing happens until one is: start one with')
    await queue.ledger.advertise({ id: 'r1', capabilities: ['other'] })
    expect((await handed()).retryHint).toContain('No live runner has "work", so nothing happens until')
    await queue.ledger.advertise({ id: 'r1', capabilities: ['work'] })
    const able = await handed()
    expect(able.hasRunner).toBe(true)
    expect(able.retryHint).not.toContain('nothing happens')
    await queue.pause({ capability: 'work' })
    expect((await handed()).retryHint).toContain(
      'It is paused, so nothing happens until you run: mulligan queue resume work.',
    )
  })

  it('hands over a limit that lifts after the budget ends', async () => {
    const resetAt = time.now() + 3_600 * SECOND
    await make({ script: [{ fails: { kind: 'usage_limit', resetAt } }] })
    expect(await handed()).toMatchObject({ retryAt: resetAt })
  })

  it('waits in process for a limit that lifts soon', async () => {
    await make({
      script: [{ fails: { kind: 'rate_limit', retryAfterMs: 3 * SECOND, resetAt: time.now() + 3 * SECOND } }],
    })
    expect(await run()).toMatchObject({ value: 'ok' })
  })

  it('goes to the next provider in process', async () => {
    await make({ pool: ['a', 'b'], script: [{ fails: 'usage_limit' }] })
    expect(await run()).toMatchObject({ value: 'ok' })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'b'])
  })

  it('aborts a try at its budget, and hands over what can be repeated', async () => {
    await make({ script: [{ hangs: true }] })
    const { operationId } = await handed({ budgetMs: 5 * SECOND })
    expect(await get(operationId)).toMatchObject({
      state: 'scheduled',
      failure: { class: 'timeout' },
      retries: 1,
    })
  })

  it('hands over a wait that is too long for this process, and aborts no try for it', async () => {
    const slow = defineCapability({
      name: 'slow',
      params: z.object({}),
      retry: 'replay',
      run: () => sleep(time, 900 * SECOND).then(() => 'slow'),
    })
    await make({ script: [{ fails: { kind: 'rate_limit', retryAfterMs: 21 * SECOND } }] }, { with: [slow] })
    const here = { budgetMs: Infinity, waitHereMs: 20 * SECOND }
    expect(await time.until(queue.run('slow', {}, here))).toMatchObject({ value: 'slow' })
    const startedAt = time.now()
    const { operationId, retryAt } = await handed(here)
    expect(time.now()).toBe(startedAt)
    expect(retryAt).toBe(startedAt + 21 * SECOND)
    expect(await get(operationId)).toMatchObject({ state: 'scheduled', snoozes: 1, retries: 0 })
  })

  it('waits in this process no longer than allowed, over all waits together', async () => {
    const limited = { fails: { kind: 'rate_limit' as const, retryAfterMs: 12 * SECOND } }
    await make({ script: [limited, limited] })
    const startedAt = time.now()
    await handed({ budgetMs: Infinity, waitHereMs: 20 * SECOND })
    expect(time.now() - startedAt).toBe(12 * SECOND)
  })

  it('goes to the next provider in process rather than hand over a wait that is too long', async () => {
    const overloaded = { kind: 'overloaded' as const, retryAfterMs: 60 * SECOND }
    await make({ pool: ['a', 'b'], script: [{ fails: overloaded }] })
    expect(await run({ budgetMs: Infinity, waitHereMs: 20 * SECOND })).toMatchObject({ value: 'ok' })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'b'])
  })

  it('releases the operation when told to, and uses no retry', async () => {
    await make({ script: [{ hangs: true }] })
    const release = new AbortController()
    const running = queue.run('work', { n: 1 }, { budgetMs: Infinity, release: release.signal })
    while (scripted.script.tries.length === 0) await time.advance(0)
    release.abort()
    expect(await time.until(running)).toMatchObject({ queuedForRetry: true, operationId: 'op_1' })
    expect(await get('op_1')).toMatchObject({ state: 'scheduled', retries: 0, dueAt: expect.any(Number) })
    await queue.runner().start()
    expect(await time.until(queue.wait('op_1'))).toMatchObject({ state: 'succeeded', run: 2, retries: 0 })
  })

  it('checks whether it took effect before it hands over, and returns what it finds', async () => {
    await make({
      retry: 'verify_first',
      verify: () => ({ state: 'done', value: 'sent before' }),
      script: [{ fails: { kind: 'eof', effect: 'maybe' } }],
    })
    expect(await run()).toEqual({ value: 'sent before', operationId: 'op_1' })
    expect(await get('op_1')).toMatchObject({ state: 'succeeded', result: 'sent before', attempts: 2 })
    expect(scripted.script.tries).toHaveLength(1)
  })

  it('leaves a check that is too early to a later run', async () => {
    await make({
      retry: 'verify_first',
      verify: { check: () => 'done', delayMs: 30 * SECOND },
      script: [{ fails: { kind: 'eof', effect: 'maybe' } }],
    })
    const { operationId } = await handed()
    await queue.runner().start()
    expect(await time.until(queue.wait(operationId))).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries).toHaveLength(1)
  })

  it('says what a parked operation waits for', async () => {
    await make({ provider: 'p', script: [{ fails: 'auth' }] })
    const result = await handed()
    expect(result.parkedFor).toBe('login')
    expect(result.retryAt).toBeUndefined()
  })

  it('rejects with the dead operation and the cause if the verdict is final', async () => {
    const refusal = Object.assign(new Error('400 invalid_request_error: bad'), { status: 400 })
    await make({ script: [{ throws: refusal }] })
    const error = await run().catch((thrown: unknown) => thrown)
    if (!isOperationFailed(error)) throw error
    expect(error.operation).toMatchObject({ state: 'dead', deadAs: 'refused' })
    expect(error.cause).toBe(refusal)
  })

  it('is the same operation under the same key, run once', async () => {
    await make({ rest: 7 })
    const [one, two] = [await run({ key: 'k' }), await run({ key: 'k' })]
    expect(one).toMatchObject({ value: 7 })
    expect(two).toEqual(one)
    expect(scripted.script.tries).toHaveLength(1)
  })

  it('is cancelled by its signal', async () => {
    await make({ script: [{ hangs: true }] })
    const controller = new AbortController()
    const running = run({ signal: controller.signal }).catch((thrown: unknown) => thrown)
    await time.advance(SECOND)
    controller.abort()
    const error = await running
    expect(isOperationFailed(error) && error.operation.deadAs).toBe('cancelled')
  })

  it('is cancelled from outside while it runs', async () => {
    await make({ script: [{ hangs: true }] })
    const running = run().catch((thrown: unknown) => thrown)
    await time.advance(SECOND)
    expect(await queue.cancel('op_1')).toBe('requested')
    const error = await running
    expect(isOperationFailed(error) && error.operation.deadAs).toBe('cancelled')
  })

  it('keeps its lease as long as it takes', async () => {
    await make({ script: [{ hangs: true }] })
    const running = run({ budgetMs: 300 * SECOND })
    await queue.runner().start()
    await time.advance(200 * SECOND)
    expect(await get('op_1')).toMatchObject({ state: 'running', run: 1 })
    await running
  })

  it('hands nothing over if the queue is disabled', async () => {
    await make(
      { script: [{ fails: { kind: 'usage_limit', resetAt: time.now() + 3_600 * SECOND } }] },
      { enabled: false },
    )
    const error = await run().catch((thrown: unknown) => thrown)
    expect(isOperationFailed(error) && error.operation).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
  })
})
