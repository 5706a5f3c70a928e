import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import type { WorkContext } from '../capability/context.ts'
import { defineCapability } from '../capability/define.ts'
import type { Operation } from '../ledger/operation.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { ScriptStep } from '../testing/core/script.ts'
import { expectEvents } from '../testing/events.ts'
import { type ScriptedOptions, scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import { Queue } from './queue.ts'
import { problemInWords } from './queue-deps.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

eachTest()

/** Resolves when the work has begun its n-th try. */
const tried = async (n: number) => {
  while (scripted.script.tries.length < n) await time.advance(time.nextIn ?? 0)
}
/** Resolves when the operation is in this state. */
const until = async (id: string, state: Operation['state']): Promise<Operation> => {
  for (let looks = 0; ; looks++) {
    const operation = await now(id)
    if (operation.state === state) return operation
    if (looks > 500) throw new Error(`${id} is ${operation.state} and not ${state}`)
    await time.advance(100)
  }
}

describe('an operation', () => {
  it('succeeds, with its result and one attempt', async () => {
    await make({ rest: { answer: 42 } })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      result: { answer: 42 },
      attempts: 1,
      retries: 0,
    })
    await expectEvents(queue, id, ['submitted', 'claimed', 'succeeded'])
  })

  it('does not run before its time', async () => {
    await make()
    const at = time.now() + 3_600 * SECOND
    const { id } = await queue.submit('work', {}, { at: new Date(at) })
    await queue.runner().start()
    await time.advance(3_599 * SECOND)
    expect(await now(id)).toMatchObject({ state: 'scheduled', run: 0 })
    await ended(id)
    expect(scripted.script.tries).toHaveLength(1)
    expect(time.now()).toBe(at)
  })

  it('is retried after 10, 20, 45, 90 and 120 seconds, and is dead as exhausted after five retries', async () => {
    await make({ script: Array.from({ length: 9 }, () => ({ fails: 'server_error' as const })) })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'exhausted', retries: 5, attempts: 6 })
    const started = (await queue.ledger.attempts(id)).map(({ startedAt }) => startedAt)
    const waits = started.slice(1).map((at, index) => (at - (started[index] as number)) / SECOND)
    expect(waits).toEqual([10, 20, 45, 90, 120])
  })

  it('waits as long as the provider stated, if that is longer than the backoff', async () => {
    await make({ script: [{ fails: { kind: 'overloaded', retryAfterMs: 33 * SECOND } }] })
    const start = time.now()
    await ended(await submitted())
    expect(time.now() - start).toBe(33 * SECOND)
  })

  it('is dead as expired when the time for retries is over, not counting the time it ran', async () => {
    await make({
      retryForMs: 100 * SECOND,
      maxRetries: 50,
      script: Array.from({ length: 50 }, () => ({ fails: 'network' as const })),
    })
    // 10 + 20 + 45 waited; the next wait of 90 exceeds what is left.
    expect(await ended(await submitted())).toMatchObject({
      deadAs: 'expired',
      retries: 3,
      retryingMs: 75 * SECOND,
    })
  })

  it('that failed together with many others does not return at the same moment as they do', async () => {
    let drawn = 0
    const random = () => (drawn++ * 0.618_034) % 1
    await make({ script: Array.from({ length: 50 }, () => ({ fails: 'server_error' as const })) }, { random })
    await queue.submitMany(Array.from({ length: 50 }, () => ({ capability: 'work' })))
    await queue.runner({ concurrency: 50 }).start()
    await tried(50)
    const scheduled = (await queue.ledger.list({ state: 'scheduled' }, { limit: 50 })).items
    const waits = scheduled.map(operation => (operation as { dueAt: number }).dueAt - time.now())
    expect(waits).toHaveLength(50)
    expect(new Set(waits).size).toBeGreaterThan(40)
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(10 * SECOND)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(12.5 * SECOND)
  })

  it('uses all of its many retries, although no longer time for them was set', async () => {
    const random = () => 0.999
    const script = Array.from({ length: 30 }, () => ({ fails: 'network' as const }))
    await make({ maxRetries: 19, script }, { random })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'exhausted', retries: 19 })
  })

  it('keeps to a given time for retries, at any level', async () => {
    const script = () => Array.from({ length: 30 }, () => ({ fails: 'network' as const }))
    await make({ maxRetries: 19, script: script() }, { retryForMs: 100 * SECOND })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'expired', retries: 3 })
    const { id } = await queue.submit('work', {}, { retryForMs: 30 * SECOND + 1 })
    expect(await ended(id)).toMatchObject({ deadAs: 'expired', retries: 2, retryForMs: 30 * SECOND + 1 })
  })

  it('is retried as often as its submission says', async () => {
    await make({ maxRetries: 19, script: Array.from({ length: 30 }, () => ({ fails: 'network' as const })) })
    const { id } = await queue.submit('work', {}, { maxRetries: 1 })
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ deadAs: 'exhausted', retries: 1, maxRetries: 1 })
  })

  it('does not expire while there is no runner, and continues when there is one again', async () => {
    await make({ retryForMs: 100 * SECOND, script: [{ fails: 'network' }, { fails: 'network' }] })
    const { id } = await queue.submit('work', {})
    const first = queue.runner()
    await first.start()
    await tried(1)
    await until(id, 'scheduled')
    await first.stop()
    await time.advance(50 * MINUTE)
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', retries: 2, retryingMs: 20 * SECOND })
  })

  it("is treated as its capability's classifier says; if that throws, it is reported and the built-in one decides", async () => {
    const problems: string[] = []
    const odd = defineCapability({
      name: 'odd',
      params: z.object({ code: z.string() }),
      retry: 'replay',
      classifier: input => {
        const { code } = input as { code?: string }
        if (code === 'BROKEN') throw new Error('what is this')
        return code === 'LATER' ? { kind: 'quota', retryAfterMs: HOUR } : undefined
      },
      run: ({ code }, { attempt }) => {
        if (attempt === 1) throw Object.assign(new Error('no'), { code, status: 503 })
        return 'done'
      },
    })
    await make({}, { with: [odd], onProblem: problem => void problems.push(problemInWords(problem)) })
    await queue.runner().start()
    const { id } = await queue.submit('odd', { code: 'LATER' })
    const startedAt = time.now()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', snoozes: 1, retries: 0 })
    expect(time.now() - startedAt).toBe(HOUR)
    const { id: broken } = await queue.submit('odd', { code: 'BROKEN' })
    expect(await ended(broken)).toMatchObject({ state: 'succeeded', retries: 1 })
    expect(problems).toEqual(['classifier "classifier": it threw Error: what is this'])
  })

  it('is snoozed until a stated reset, which is not a retry', async () => {
    const resetAt = time.now() + 3_600 * SECOND
    await make({ script: [{ fails: { kind: 'usage_limit', resetAt } }] })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      retries: 0,
      snoozes: 1,
      snoozedMs: 3_600 * SECOND,
    })
    expect(time.now()).toBe(resetAt)
    await expectEvents(queue, id, [
      'submitted',
      'claimed',
      { type: 'snoozed', run: 1, data: { due_at: resetAt, kind: 'usage_limit' } },
      'claimed',
      'succeeded',
    ])
  })

  it('waits in line for a paced provider as held: that uses up neither snoozes nor retries', async () => {
    await make(
      { provider: 'a', script: Array.from({ length: 5 }, () => ({ fails: 'rate_limit' as const })) },
      { maxSnoozes: 3 },
    )
    expect(await ended(await submitted())).toMatchObject({
      state: 'succeeded',
      snoozes: 0,
      retries: 0,
      attempts: 6,
    })
  })

  it('refused although its provider serves others, waits about a second: that uses up no snooze', async () => {
    await make({ provider: 'a', script: [{ fails: 'rate_limit' }] })
    for (let n = 0; n < 20; n++) (await queue.health.madeElsewhere('a')).succeeded()
    const begun = time.now()
    const operation = await ended(await submitted())
    expect(operation).toMatchObject({ state: 'succeeded', snoozes: 0, retries: 0, attempts: 2 })
    expect(operation.endedAt - begun).toBeGreaterThanOrEqual(1_000)
  })

  it('is dead as exhausted after too many snoozes', async () => {
    await make(
      { script: Array.from({ length: 9 }, () => ({ fails: 'rate_limit' as const })) },
      { maxSnoozes: 3 },
    )
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'exhausted', snoozes: 3, retries: 0 })
  })

  it('is dead as expired when its snoozes add up to too much', async () => {
    const step = (minutes: number): ScriptStep => ({
      fails: { kind: 'usage_limit', resetAt: time.now() + minutes * MINUTE },
    })
    await make({ script: [step(20), step(50)] }, { maxWaitMs: 40 * MINUTE })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'expired', snoozes: 1 })
  })

  it.each([
    ['invalid_request', 'refused'],
    ['max_turns', 'stopped'],
    ['aborted', 'cancelled'],
    ['not_found', 'refused'],
  ] as const)('that fails with %s is dead as %s at once', async (kind, deadAs) => {
    await make({ script: [{ fails: kind }] })
    expect(await ended(await submitted())).toMatchObject({ state: 'dead', deadAs, attempts: 1 })
  })

  it.each([
    ['unknown', 'label'],
    ['billing', 'payment'],
    ['auth', 'login'],
  ] as const)('that fails with %s is parked for a %s', async (kind, parkedFor) => {
    await make({ script: [{ fails: kind }], provider: 'p' })
    expect(await until(await submitted(), 'parked')).toMatchObject({ parkedFor, attempts: 1 })
  })

  it('that is parked too long expires', async () => {
    await make({ script: [{ fails: 'unknown' }] }, { maxParkedMs: 10 * MINUTE })
    const id = await submitted()
    await until(id, 'parked')
    await time.advance(12 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'dead', deadAs: 'expired' })
  })

  it('stores what its work recorded: cost, session, folder', async () => {
    const told = defineCapability({
      retry: 'none',
      name: 'told',
      params: z.object({}),
      run: (_params, { charge, record }) => {
        record({ sessionId: 's1', cwd: '/tmp/x' })
        charge({ usd: 0.5 })
        charge({ usd: 0.25, tokens: 100 })
      },
    })
    await make({}, { with: [told as Capability] })
    const { id } = await queue.submit('told')
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ agentSession: 's1', folder: '/tmp/x', costUsd: 0.75 })
  })

  it('passes its work the run as fencing token, the history, and one idempotency key for all tries', async () => {
    const seen: WorkContext[] = []
    const asks = defineCapability({
      name: 'asks',
      params: z.object({}),
      retry: 'replay',
      run: (_params, context) => {
        seen.push({ ...context, attempts: [...context.attempts] })
        if (seen.length === 1) throw new Error('read ECONNRESET')
      },
    })
    await make({}, { with: [asks as Capability] })
    const { id } = await queue.submit('asks')
    await queue.runner().start()
    await ended(id)
    expect(seen).toMatchObject([
      { run: 1, attempt: 1, attempts: [] },
      { run: 2, attempt: 2, attempts: [{ number: 1, failure: { class: 'transient' } }] },
    ])
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  })

  it('without a runner is parked for one after an hour, and continues when there is one', async () => {
    await make()
    const { id } = await queue.submit('elsewhere', { a: 1 }, { unchecked: true })
    await queue.runner().start()
    await time.advance(62 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'runner' })
    const able = scriptedCapability({ name: 'elsewhere' })
    const { queue: other } = await testQueue({
      ledger: queue.ledger,
      capabilities: [able.capability],
      time,
      runnerId: 'other',
    })
    await other.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(able.script.tries).toMatchObject([{ params: { a: 1 } }])
    await Queue.prototype.close.call(other)
  })
})

describe('a provider', () => {
  const health = () => new Health({ providers: [{ id: 'a' }, { id: 'b' }], time, random: () => 0 })

  it('that fails sends the operation to the next, in the same run and without a retry', async () => {
    await make(
      { pool: ['a', 'b'], script: [{ fails: { kind: 'usage_limit', effect: 'none' } }] },
      { health: health() },
    )
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 1, attempts: 2, retries: 0, snoozes: 0 })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'b'])
    await expectEvents(queue, id, [
      'submitted',
      'claimed',
      'recorded',
      { type: 'attempted', data: { kind: 'usage_limit', provider: 'a' } },
      'recorded',
      'succeeded',
    ])
  })

  it('that is blocked holds operations that need it, which return when the block ends', async () => {
    const resetAt = time.now() + 600 * SECOND
    await make({ provider: 'a', script: [{ fails: { kind: 'usage_limit', resetAt } }] }, { health: health() })
    const first = await submitted()
    await tried(1)
    const second = (await queue.submit('work')).id
    await time.advance(5 * SECOND)
    expect(await now(second)).toMatchObject({ state: 'scheduled', heldBy: 'a', run: 0 })
    expect((await queue.status()).held).toBe(1)
    await Promise.all([ended(first), ended(second)])
    expect(scripted.script.tries).toHaveLength(3)
    expect(await now(second)).toMatchObject({ state: 'succeeded', retries: 0, snoozes: 0, attempts: 1 })
  })

  it('that needs a login parks the operation, and moves it when it is cleared', async () => {
    await make({ provider: 'a', script: [{ fails: 'auth' }] }, { health: health() })
    const id = await submitted()
    await until(id, 'parked')
    await time.advance(10 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'login' })
    await queue.health.reset('a')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 2, retries: 0 })
  })

  it('that is blocked, as are all others, costs no try, no retry and no snooze', async () => {
    await make({ pool: ['a', 'b'] }, { health: health() })
    await queue.health.pause('a')
    await queue.health.pause('b')
    const id = await submitted()
    await time.advance(10 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 0, retries: 0, snoozes: 0 })
    await queue.health.resume('b')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['b'])
  })
})

describe('a second try', () => {
  const maybe = (kind: 'timeout' | 'eof' | 'usage_limit' = 'eof'): ScriptStep => ({
    fails: { kind, effect: 'maybe' },
  })

  it('is never made if the policy is none and there may be an effect', async () => {
    await make({ retry: 'none', script: [maybe()] })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'unverifiable', attempts: 1 })
  })

  it('is made if the policy is none and there was no effect', async () => {
    await make({ retry: 'none', script: [{ fails: 'network' }] })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', retries: 1 })
  })

  it('stays forbidden after a later failure at the door', async () => {
    await make({
      retry: 'none',
      resumable: true,
      script: [
        { fails: { kind: 'eof', effect: 'maybe', sessionId: 's1' } },
        { fails: { kind: 'network', effect: 'none' } },
      ],
    })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 3 })
    expect(scripted.script.tries.map(({ resumed }) => resumed)).toEqual([undefined, 's1', 's1'])
  })

  it('continues the session, with its own provider', async () => {
    await make({
      retry: 'none',
      resumable: true,
      pool: ['a', 'b'],
      script: [
        {
          fails: { kind: 'usage_limit', effect: 'maybe', sessionId: 's1', resetAt: time.now() + 60 * SECOND },
        },
      ],
    })
    expect(await ended(await submitted())).toMatchObject({
      state: 'succeeded',
      snoozes: 1,
      agentSession: 's1',
    })
    expect(scripted.script.tries).toMatchObject([
      { provider: 'a', resumed: undefined },
      { provider: 'a', resumed: 's1' },
    ])
  })

  it('cannot be forced by a custom policy if the work must not run twice', async () => {
    const insist = () =>
      ({ action: 'retry', delayMs: 1, mode: 'again', reason: 'again', rule: 'mine' }) as const
    await make({ retry: 'none', policy: insist, script: [maybe()] })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'unverifiable', attempts: 1 })
  })

  it('cannot be forced by a custom policy beyond the bounds', async () => {
    const insist = () =>
      ({ action: 'retry', delayMs: 1, mode: 'again', reason: 'again', rule: 'mine' }) as const
    await make({ policy: insist, maxRetries: 2, script: Array.from({ length: 9 }, () => maybe()) })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'exhausted', attempts: 3 })
  })

  it('by a person runs what was forbidden, with fresh counters and its history', async () => {
    await make({ retry: 'none', script: [maybe()] })
    const id = await submitted()
    await ended(id)
    expect(await queue.retry(id, { mayRepeat: true })).toBe('revived')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 2, retries: 0 })
    await expectEvents(queue, id, ['submitted', 'claimed', 'dead', 'revived', 'claimed', 'succeeded'])
  })

  it('by a person also runs what ended because its failure is unknown, which no label could change', async () => {
    await make({ retry: 'none', script: [{ fails: { kind: 'unknown', effect: 'maybe' } }] })
    const id = await submitted()
    expect(await until(id, 'dead')).toMatchObject({ deadAs: 'unverifiable' })
    expect(await queue.retry(id, { mayRepeat: true })).toBe('revived')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 2 })
  })
})

describe('verification', () => {
  const answers: (string | Error)[] = []
  const asked: number[] = []
  const verify = () => {
    asked.push(time.now())
    const answer = answers.shift() ?? 'unsure'
    if (answer instanceof Error) throw answer
    return answer as 'done' | 'absent' | 'unsure'
  }
  const verified = (given: (string | Error)[], more: Partial<ScriptedOptions> = {}, settings = {}) => {
    answers.splice(0, Infinity, ...given)
    asked.length = 0
    return make(
      { retry: 'verify_first', verify, script: [{ fails: { kind: 'timeout', effect: 'maybe' } }], ...more },
      settings,
    )
  }

  it('that finds the effect lets it succeed without a second run', async () => {
    await verified(['done'])
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 2, retries: 1 })
    expect(scripted.script.tries).toHaveLength(1)
    expect((await queue.ledger.attempts(id)).at(-1)).toMatchObject({ note: { verification: 'done' } })
  })

  it('that finds nothing lets it run again', async () => {
    await verified(['absent'])
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries).toHaveLength(2)
    expect((await queue.ledger.attempts(id)).at(-1)).toMatchObject({ note: { verification: 'absent' } })
  })

  it('that is unsure or throws is repeated later, which counts as a snooze; the work never runs blindly', async () => {
    await verified(['unsure', new Error('the check is down'), 'done'])
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', snoozes: 2, retries: 1 })
    expect(scripted.script.tries).toHaveLength(1)
    expect(asked).toHaveLength(3)
  })

  it('that stays unsure ends as unverifiable', async () => {
    await verified([], {}, { maxSnoozes: 3 })
    expect(await ended(await submitted())).toMatchObject({ deadAs: 'unverifiable', snoozes: 3 })
    expect(scripted.script.tries).toHaveLength(1)
  })

  it('is skipped if nothing can have been done', async () => {
    await verified([], { script: [{ fails: { kind: 'network', effect: 'none' } }] })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(asked).toEqual([])
  })

  it('waits for its delay', async () => {
    await verified(['done'], { verify: { check: verify, delayMs: 300 * SECOND } })
    const start = time.now()
    await ended(await submitted())
    expect(asked).toEqual([start + 300 * SECOND])
  })

  it('settles all tries before it: another provider of the same run does what a refused one did not, unasked', async () => {
    const refused = { kind: 'usage_limit', effect: 'none', resetAt: time.now() + DAY } as const
    await verified(['absent'], {
      pool: ['a', 'b'],
      script: [{ fails: { kind: 'timeout', effect: 'maybe' } }, { fails: refused }],
    })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', run: 2, attempts: 3 })
    expect(asked).toHaveLength(1)
  })

  it('comes between two providers of one run', async () => {
    await verified(['absent'], {
      pool: ['a', 'b'],
      script: [{ fails: { kind: 'usage_limit', effect: 'maybe', resetAt: time.now() + DAY } }],
    })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', run: 1 })
    expect(scripted.script.tries.map(({ provider }) => provider)).toEqual(['a', 'b'])
    expect(asked).toHaveLength(1)
  })
})

describe('hooks', () => {
  it('may turn a result into a failure', async () => {
    const answers = ['half', 'whole']
    await make({
      script: answers.map(ok => ({ ok })),
      handleResult: result => (result === 'half' ? { failed: new Error('ECONNRESET') } : undefined),
    })
    expect(await ended(await submitted())).toMatchObject({ result: 'whole', attempts: 2, retries: 1 })
  })

  it('may snooze a result', async () => {
    let asked = 0
    await make({
      handleResult: (_result, { circumstances }) =>
        asked++ > 0
          ? undefined
          : {
              action: 'snooze',
              until: circumstances.now + MINUTE,
              mode: 'again',
              reason: 'not yet',
              rule: 'mine',
            },
    })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', snoozes: 1 })
  })

  it('may change the verdict on a failure', async () => {
    await make({
      script: [{ fails: 'server_error' }],
      handleFailure: () => ({ action: 'cancel', as: 'refused', reason: 'not worth it', rule: 'mine' }),
    })
    expect(await ended(await submitted())).toMatchObject({
      deadAs: 'refused',
      reason: 'not worth it',
      attempts: 1,
    })
  })

  it('that throw are reported by name, and the verdict stands', async () => {
    const problems: unknown[] = []
    await make(
      {
        script: [{ fails: 'server_error' }],
        handleFailure: () => {
          throw new Error('oops')
        },
      },
      { onProblem: problem => problems.push(problem) },
    )
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', retries: 1 })
    expect(problems).toMatchObject([
      { about: 'hook', problem: { capability: 'work', hook: 'handleFailure' } },
    ])
  })
})

describe('a lost run', () => {
  /** A runner that claims and then disappears. */
  const lose = async (record?: { agentSession?: string; provider?: string; costUsd?: number }) => {
    const { runs } = await queue.engine.claim({
      runner: 'gone',
      capabilities: ['work'],
      limit: 1,
      leaseMs: 30 * SECOND,
    })
    const [run] = runs
    if (!run) throw new Error('nothing was claimed')
    if (record) await queue.engine.record(run.fence, record)
    return run
  }
  const submitAndLose = async (record?: Parameters<typeof lose>[0]) => {
    const { id } = await queue.submit('work')
    await lose(record)
    await queue.runner().start()
    return id
  }

  it('is stored as an attempt and judged before any work starts; it counts as one retry', async () => {
    await make()
    const id = await submitAndLose({ costUsd: 0.25 })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', retries: 1, run: 3, costUsd: 0.25 })
    expect(await queue.ledger.attempts(id)).toMatchObject([
      {
        failure: { class: 'transient', kind: 'runner_lost', effect: 'maybe' },
        verdict: { action: 'retry' },
        costUsd: 0.25,
      },
      { run: 3 },
    ])
    await expectEvents(queue, id, [
      'submitted',
      'claimed',
      'recorded',
      'taken_over',
      'retrying',
      'claimed',
      'succeeded',
    ])
  })

  it('is not repeated if the work must not run twice', async () => {
    await make({ retry: 'none' })
    const id = await submitAndLose()
    const operation = await ended(id)
    expect(operation).toMatchObject({ deadAs: 'unverifiable', attempts: 1, retries: 1 })
    expect(operation).toMatchObject({
      reason: expect.stringContaining('if running it twice is harmless, set retry = "replay"'),
    })
    expect(scripted.script.tries).toEqual([])
  })

  it('is verified first', async () => {
    await make({ retry: 'verify_first', verify: () => 'done' })
    const id = await submitAndLose()
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries).toEqual([])
  })

  it('is continued in its session, with its own provider', async () => {
    await make({ retry: 'none', resumable: true, pool: ['a', 'b'] })
    const id = await submitAndLose({ agentSession: 's9', provider: 'b' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(scripted.script.tries).toMatchObject([{ provider: 'b', resumed: 's9' }])
  })

  it('can no longer settle', async () => {
    await make()
    const { id } = await queue.submit('work')
    const run = await lose()
    await queue.runner().start()
    await ended(id)
    expect(await queue.engine.settle(run.fence, { succeeded: true })).toMatchObject({
      settled: false,
      stale: true,
    })
  })

  it('counts towards the retry limit', async () => {
    await make({ maxRetries: 2 })
    const { id } = await queue.submit('work')
    for (let round = 0; round < 3; round++) {
      await lose()
      await queue.engine.claim({ runner: 'watching', capabilities: ['work'], limit: 0 })
      const runner = queue.runner()
      await runner.start()
      for (let looks = 0; looks < 400 && (await now(id)).state === 'running'; looks++)
        await time.advance(SECOND)
      await runner.stop()
      if ((await now(id)).state === 'dead') break
      await queue.retry(id)
    }
    expect(await now(id)).toMatchObject({ state: 'dead', deadAs: 'exhausted', retries: 3 })
    expect(scripted.script.tries).toEqual([])
  })
})

describe('a runner that stops', () => {
  it('releases what does not end in time, which is not a retry', async () => {
    await make({ script: [{ hangs: true }] })
    const { id } = await queue.submit('work')
    const runner = queue.runner()
    await runner.start()
    await tried(1)
    await time.until(runner.stop({ graceMs: 5 * SECOND }))
    expect(await now(id)).toMatchObject({ state: 'scheduled', retries: 0, attempts: 1, mode: 'again' })
    expect(await queue.ledger.attempts(id)).toMatchObject([{ failure: { class: 'aborted' } }])
    expect(await queue.ledger.runners()).toEqual([])
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', run: 2, retries: 0 })
  })

  it('listens to nothing any more, even if told to stop while it started', async () => {
    await make()
    const { ledger } = queue
    const [onChange, advertise] = [ledger.onChange.bind(ledger), ledger.advertise.bind(ledger)]
    let listening = 0
    vi.spyOn(ledger, 'onChange').mockImplementation(listener => {
      listening++
      const stop = onChange(listener)
      return () => {
        listening--
        stop()
      }
    })
    const runner = queue.runner()
    const stopped = Promise.withResolvers<void>()
    vi.spyOn(ledger, 'advertise').mockImplementation(record => {
      stopped.resolve(runner.stop())
      return advertise(record)
    })
    await runner.start()
    await stopped.promise
    expect(listening).toBe(0)
  })

  it('does not repeat work that it aborted and that must not run twice', async () => {
    await make({ retry: 'none', script: [{ hangs: true }] })
    const { id } = await queue.submit('work')
    const runner = queue.runner()
    await runner.start()
    await tried(1)
    await time.until(runner.stop())
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ deadAs: 'unverifiable' })
    expect(scripted.script.tries).toHaveLength(1)
  })
})

describe('a cancel', () => {
  it('ends a waiting operation at once', async () => {
    await make()
    const { id } = await queue.submit('work', {}, { at: time.now() + DAY })
    expect(await queue.cancel(id)).toBe('cancelled')
    expect(await now(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' })
    expect(await queue.cancel(id)).toBe('none')
  })

  it('of a running operation aborts the work', async () => {
    await make({ script: [{ hangs: true }] })
    const id = await submitted()
    await tried(1)
    expect(await queue.cancel(id)).toBe('requested')
    expect(await ended(id)).toMatchObject({ deadAs: 'cancelled', attempts: 1 })
  })
})
