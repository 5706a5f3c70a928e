import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import type { WorkContext } from '../capability/context.ts'
import { defineCapability } from '../capability/define.ts'
import { httpCapability } from '../capability/kind/http-capability.ts'
import { classify } from '../failure/classify.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { isOperationFailed } from './error.ts'
import type { OpenedQueue } from './open.ts'
import { isHandedOver } from './run-result.ts'

const overloaded = Object.assign(new Error('Overloaded'), { status: 529 })
const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
const again: Verdict = { action: 'retry', delayMs: 0, mode: 'again', reason: 'r', rule: 'r' }

/** A verdict that only a durable run can act on, so that the operation is handed over at once. */
const later = (): Verdict => {
  return { action: 'snooze', until: time.now() + 60_000, mode: 'again', reason: 'later', rule: 'test' }
}

let queue: OpenedQueue
let time: FakeTime
let server: Server | undefined

afterEach(async () => {
  await queue?.close()
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

/** A queue with one capability, `work`, that runs what is submitted. */
async function running(capability: Capability<never, unknown>): Promise<void> {
  time = new FakeTime()
  ;({ queue } = await testQueue({ capabilities: [capability as Capability], time }))
  await queue.runner().start()
}

const submitted = async () => time.until(queue.wait((await queue.submit('work', {})).id))
const runNow = () => time.until(queue.run('work', {}).catch((error: unknown) => error))

/** Work of two steps: the first takes effect, the second is refused. */
function charging(more: object = {}) {
  const charges: number[] = []
  const capability = defineCapability({
    name: 'work',
    params: z.object({}),
    retry: 'none',
    run: (_params: unknown, { attempt }: WorkContext) => {
      charges.push(attempt)
      throw overloaded
    },
    ...more,
  } as never) as Capability<never, unknown>
  return { charges, capability }
}

describe('work that must not run twice', () => {
  it('runs once although its last request was refused, submitted or run now', async () => {
    const { charges, capability } = charging()
    await running(capability)
    const operation = await submitted()
    expect(operation).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    expect(await queue.ledger.attempts(operation.id)).toMatchObject([{ failure: { effect: 'maybe' } }])
    expect(isOperationFailed(await runNow())).toBe(true)
    expect(charges).toEqual([1, 1])
  })

  it('has a reason that says what would allow a second try', async () => {
    await running(charging().capability)
    const { reason } = await submitted()
    expect(reason).toContain(
      'if it is one request, set atomic = true; if running it twice is harmless, set retry = "replay"; if it can be checked, set retry = "verify_first"',
    )
  })

  it.each([
    ['a hook asks for its result again', { run: () => 'half', handleResult: () => again }],
    [
      'a hook asks to resume a session that does not exist',
      { resumable: true, handleFailure: () => ({ ...again, mode: 'resume' as const }) },
    ],
  ])('has such a reason too if %s', async (_case, more) => {
    await running(charging(more).capability)
    const operation = await submitted()
    expect(operation).toMatchObject({ state: 'dead', deadAs: 'unverifiable', run: 1 })
    expect(operation.reason).toContain(
      'if running it twice is harmless, set retry = "replay"; if it can be checked, set retry = "verify_first")',
    )
  })

  it('does not get the advice to be atomic if it already is', async () => {
    const run = (_params: unknown, { committed }: WorkContext) => {
      committed()
      throw overloaded
    }
    await running(charging({ atomic: true, run }).capability)
    expect((await submitted()).reason).toContain('(if running it twice is harmless')
  })

  it.each([
    ['hook', { handleFailure: () => again }],
    ['hook about a result', { run: () => 'half', handleResult: () => ({ failed: overloaded }) }],
    ['policy', { policy: () => again }],
    ['preset', { policy: PRESETS.workBuddy }],
  ])('runs once whatever a %s says', async (_name, more) => {
    const { charges, capability } = charging(more)
    await running(capability)
    expect(await submitted()).toMatchObject({ state: 'dead', deadAs: 'unverifiable', run: 1 })
    const [{ id } = { id: '' }] = (await queue.ledger.list()).items
    expect(await queue.ledger.attempts(id)).toHaveLength(1)
    expect(charges.length).toBeLessThanOrEqual(1)
  })

  it('is tried again if it is atomic and was refused, but not once it has committed', async () => {
    const atomic = charging({ atomic: true })
    await running(atomic.capability)
    expect(await submitted()).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
    expect(atomic.charges).toEqual([1, 2, 3, 4, 5, 6])
    await queue.close()
    const runs: number[] = []
    const run = (_params: unknown, { attempt, committed }: { attempt: number; committed(): void }) => {
      runs.push(attempt)
      committed()
      throw overloaded
    }
    await running(charging({ atomic: true, run }).capability)
    expect(await submitted()).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    expect(runs).toEqual([1])
  })
})

describe('work that is verified first', () => {
  /** Counts effects and checks; each check gets the next of `answers`, then the last one forever. */
  function verified(answers: readonly unknown[], more: object = {}) {
    const log: string[] = []
    const { capability } = charging({
      retry: 'verify_first',
      run: () => {
        log.push('run')
        throw overloaded
      },
      verify: () => {
        log.push('asked')
        return answers.length > 1
          ? [...answers].splice(log.filter(word => word === 'asked').length - 1, 1)[0]
          : answers[0]
      },
      maxRetries: 2,
      ...more,
    })
    return { log, capability }
  }

  it('is checked before each second try, although the last request was refused', async () => {
    const { log, capability } = verified([false])
    await running(capability)
    await submitted()
    expect(log).toEqual(['run', 'asked', 'run', 'asked', 'run', 'asked'])
  })

  it('is not checked if every try was refused at the door', async () => {
    const { log, capability } = verified([false], { atomic: true })
    await running(capability)
    await submitted()
    expect(log).toEqual(['run', 'run', 'run'])
  })

  it('is checked and tried again while its caller waits', async () => {
    const { log, capability } = verified([false])
    await running(capability)
    expect(isHandedOver((await runNow()) as never)).toBe(true)
    expect(log).toEqual(['run', 'asked', 'run', 'asked', 'run', 'asked'])
  })

  it("is handed over if the check used up the caller's time", async () => {
    const slowly = () => new Promise(resolve => void time.after(19_500, () => resolve(false)))
    const { log, capability } = verified([], { verify: slowly })
    time = new FakeTime()
    ;({ queue } = await testQueue({ capabilities: [capability as Capability], time }))
    expect(isHandedOver((await runNow()) as never)).toBe(true)
    expect(log).toEqual(['run'])
  })

  it('is also checked before it waits for a person, who would do it a second time', async () => {
    const refused = Object.assign(new Error('invalid x-api-key'), { status: 401 })
    const run = () => {
      throw refused
    }
    const done = [{ state: 'done', value: 'receipt 7' }]
    await running(verified(done, { run }).capability)
    expect(await runNow()).toMatchObject({ value: 'receipt 7' })
    expect(await time.until(queue.handOver('work', {}, refused))).toMatchObject({ value: 'receipt 7' })
  })

  it('is checked before it is handed over, so that no caller gets "not done yet" for what is done', async () => {
    const { log, capability } = verified([{ state: 'done', value: 'receipt 7' }], { policy: later })
    await running(capability)
    expect(await runNow()).toMatchObject({ value: 'receipt 7' })
    expect(log).toEqual(['run', 'asked'])
  })

  it('is handed over if it is not done, or that is unknown', async () => {
    for (const answer of [false, 'unsure']) {
      const { capability } = verified([answer], { policy: later })
      await running(capability)
      expect(isHandedOver((await runNow()) as never)).toBe(true)
      await queue.close()
    }
  })

  it('is also checked if the try was made elsewhere', async () => {
    const { log, capability } = verified([true])
    await running(capability)
    expect(await queue.handOver('work', {}, reset)).toMatchObject({ operationId: 'op_1' })
    expect(isHandedOver(await queue.handOver('work', {}, reset))).toBe(false)
    expect(log).toEqual(['asked', 'asked'])
  })
})

describe('an HTTP request that must not be sent twice', () => {
  async function answering(...answers: [status: number, headers: Record<string, string>][]) {
    let requests = 0
    const made = createServer((_request, response) => {
      const [status, headers] = answers[requests++] ?? [200, {}]
      response.writeHead(status, headers).end('text')
    })
    server = made
    await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(made.address() as AddressInfo).port}/`
    await running(httpCapability({ name: 'work', url }) as never)
    return { requests: () => requests }
  }

  it.each([
    [429, { 'retry-after': '3600' }],
    [503, { 'retry-after': '60' }],
  ])('waits and is sent again after a %i that says when', async (status, headers) => {
    const { requests } = await answering([status, headers])
    const result = await runNow()
    expect(isHandedOver(result as never)).toBe(true)
    expect(result).toMatchObject({ retryAt: expect.any(Number) })
    const { operationId } = result as { operationId: string }
    expect(await time.until(queue.wait(operationId))).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(requests()).toBe(2)
  })

  it('waits and is sent again after a refused connection', async () => {
    await answering()
    const made = server as Server
    const { port } = made.address() as AddressInfo
    made.close()
    await new Promise(resolve => made.once('close', resolve))
    const { id } = await queue.submit('work', {})
    while ((await queue.ledger.attempts(id)).length === 0) await time.advance(100)
    await new Promise<void>(resolve => made.listen(port, '127.0.0.1', resolve))
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
  })

  it('is not sent again after a 200 that says it failed', async () => {
    const { requests } = await answering([500, {}])
    await submitted()
    expect(requests()).toBe(1)
  })
})

describe('for any policies, hooks, failures and retry policy', () => {
  const failures = fc.oneof(
    fc.record({ status: fc.constantFrom(400, 401, 402, 408, 429, 500, 503, 529), message: fc.string() }),
    fc
      .constantFrom('ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND')
      .map(code => Object.assign(new Error(code), { code })),
  )
  const verdicts = fc.constantFrom<Verdict | undefined>(
    undefined,
    again,
    { action: 'failover', reason: 'r', rule: 'r' },
    { action: 'retry', delayMs: 0, mode: 'resume', reason: 'r', rule: 'r' },
  )
  const steps = fc.record({ failure: failures, commits: fc.boolean(), returns: fc.boolean() })

  it('a hook that always retries gets no more tries than there are, in process and later', async () => {
    let runs = 0
    const capability = defineCapability({
      name: 'work',
      params: z.object({}),
      retry: 'replay',
      maxRetries: 3,
      pool: ['a', 'b'],
      policy: PRESETS.terraphim,
      handleFailure: () => ({ action: 'retry', delayMs: 0, mode: 'again', reason: 'r', rule: 'r' }),
      run: () => {
        if (++runs > 50) throw new Error('it never ends')
        throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
      },
    } as never)
    await running(capability as never)
    await runNow()
    await untilItRests('op_1')
    expect(await queue.ledger.get('op_1')).toMatchObject({ state: 'dead', deadAs: 'exhausted' })
    // One, two more in process, three more by the queue.
    expect(runs).toBe(6)
  })

  it('work that is not repeatable begins again only if verified absent, or if it provably did nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('none' as const, 'verify_first' as const),
        fc.boolean(),
        fc.oneof(fc.constant(undefined), fc.constantFrom(...Object.values(PRESETS)), verdicts),
        verdicts,
        fc.array(fc.constantFrom('absent', 'unsure', 'done'), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (script, retry, atomic, policy, hooked, answers, isNow) => {
          /** Nothing can have been done: no try was made, all were refused, or it was just verified. */
          let isClean = true
          let runs = 0
          let asked = 0
          const capability = defineCapability({
            name: 'work',
            params: z.object({}),
            ...(retry === 'none'
              ? { retry }
              : {
                  retry,
                  verify: () => {
                    const answer = answers[asked++ % answers.length]
                    if (answer === 'absent') isClean = true
                    return answer as 'absent'
                  },
                }),
            atomic,
            pool: ['a', 'b'],
            maxRetries: 3,
            ...(typeof policy === 'object' && 'action' in policy
              ? { policy: () => policy }
              : policy
                ? { policy }
                : {}),
            ...(hooked ? { handleFailure: () => hooked } : {}),
            run: (_params: unknown, { committed }: WorkContext) => {
              expect(isClean).toBe(true)
              const { failure, commits, returns } = script[runs++ % script.length] as (typeof script)[number]
              if (commits) committed()
              const refused = classify(failure, { now: 0, returned: returns })?.effect === 'none'
              isClean = atomic && !commits && refused
              if (returns) return { error: failure }
              throw failure
            },
          } as never)
          await running(capability as never)
          if (isNow) await runNow()
          else await queue.submit('work', {})
          await untilItRests('op_1')
          expect(await queue.ledger.check()).toEqual([])
          await queue.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  /** Resolves when it has ended, or waits for a person; the clock moves until then. */
  async function untilItRests(id: string): Promise<void> {
    // An operation that is held for a provider may never come to rest; only what it does on the way matters.
    for (let looks = 0; looks < 200; looks++) {
      const state = (await queue.ledger.get(id))?.state
      if (state !== 'scheduled' && state !== 'running') return
      await time.advance(time.nextIn ?? 1_000)
    }
  }
})
