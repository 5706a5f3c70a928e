import { describe, expect, it } from 'vitest'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { beginAt, eachTest, ended, make, now, queue, scripted, submitted, time } from '../../test/work.ts'
import type { CheckAnswer } from '../capability/verification.ts'
import type { Operation } from '../ledger/operation.ts'
import type { ScriptStep } from '../testing/core/script.ts'
import { expectEvents } from '../testing/events.ts'
import type { ScriptedOptions } from '../testing/scripted.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { isOperationFailed, isQueueError } from './error.ts'
import { operationToJson } from './operation-json.ts'
import { isHandedOver } from './run-result.ts'

/**
 * The older retry queue behind this one stored one file per operation, with `failed` and a flag for waiting. This queue treats
 * failures the same way, except where the older one is known to be wrong (it retried refused requests, left lost and old records
 * behind, and repeated what it could not verify).
 */
const SECOND = 1_000
const MINUTE = 60 * SECOND
const NOW = Date.parse('2026-05-01T12:00:00Z')

eachTest(NOW)

const tries = () => scripted.script.tries.length
/** Resolves when it was tried this often and the outcome is stored. */
const tried = async (id: string, attempts: number): Promise<Operation> => {
  for (let looks = 0; ; looks++) {
    const operation = await now(id)
    if (operation.attempts >= attempts && operation.state !== 'running') return operation
    if (looks > 2_000) throw new Error(`${id} was tried ${operation.attempts} times`)
    await time.advance(time.nextIn ?? 10)
  }
}
const timeout = Object.assign(new Error('still timing out'), { name: 'TimeoutError' })
const always = (step: ScriptStep, times = 20) => Array.from({ length: times }, () => step)

describe('a failure', () => {
  it('is stored with its class and kind, the session that asked, and the time of the next try', async () => {
    await make({
      script: [{ throws: Object.assign(new Error('HTTP hung'), { error_kind: 'obsidian_timeout' }) }],
    })
    const { id } = await queue.submit('work', { key: 'value' }, { session: 'session-abc' })
    await queue.runner().start()
    const operation = await tried(id, 1)
    expect(operation).toMatchObject({
      state: 'scheduled',
      params: { key: 'value' },
      session: 'session-abc',
      failure: { class: 'timeout', kind: 'timeout' },
      dueAt: NOW + 10 * SECOND,
      retries: 1,
    })
    const [attempt] = await queue.ledger.attempts(id)
    expect(attempt).toMatchObject({
      number: 1,
      failure: { code: 'obsidian_timeout' },
      verdict: { action: 'retry' },
    })
    expect(operationToJson(operation, { maxRetries: 5 })).toMatchObject({
      state: 'scheduled',
      due_at: '2026-05-01T12:00:10.000Z',
      remaining_retries: 4,
    })
  })

  it('without a typed kind has no code, rather than an empty one', async () => {
    await make({ script: [{ throws: new Error('Generic timeout while reading') }] })
    const id = await submitted()
    await tried(id, 1)
    const [attempt] = await queue.ledger.attempts(id)
    expect(attempt?.failure).toMatchObject({ class: 'timeout' })
    expect(attempt?.failure).not.toHaveProperty('code')
  })

  it('follows the settings of the queue', async () => {
    await make({ script: always({ throws: timeout }) }, { maxRetries: 7, backoff: 'exponential' })
    const operation = await tried(await submitted(), 1)
    expect(operation).toMatchObject({ state: 'scheduled', dueAt: NOW + 10 * SECOND })
    expect(operationToJson(operation, { maxRetries: 7 })).toMatchObject({ remaining_retries: 6 })
  })

  it('of a missing operation changes nothing', async () => {
    await make()
    const verdict = { action: 'retry', delayMs: 1, mode: 'again', reason: 'r', rule: 'x' } as const
    expect(await queue.engine.settle({ id: 'op_404', run: 1 }, { verdict })).toEqual({
      settled: false,
      stale: true,
      run: 0,
    })
    expect((await queue.ledger.counts()).total).toBe(0)
  })

  it.each<[string, ScriptStep, number]>([
    ['is thrown', { throws: timeout }, 1],
    ['is returned as error', { ok: { error: 'bridge timed out' } }, 1],
    ['is returned as success: false', { ok: { success: false, message: 'bridge unreachable' } }, 1],
    [
      'is a result that could verify only part of itself',
      { ok: { success: true, verified: { line: 'absent', note: true } } },
      1,
    ],
  ])('that is temporary is tried again, if it %s', async (_how, step, retries) => {
    await make({ script: [step] })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', retries, attempts: 2 })
  })

  it.each<[string, ScriptStep]>([
    ['is thrown', { throws: Object.assign(new Error('bad'), { name: 'ValueError' }) }],
    ['is returned', { ok: { success: false, message: 'Invalid parameter: bad_key' } }],
    ['is typed', { ok: { error: 'temporarily unavailable', error_kind: 'obsidian_refused' } }],
    ['needs a person', { ok: { error: 'anything', error_kind: 'obsidian_not_running' } }],
  ])('that is permanent is not tried again, at first or later, if it %s', async (_how, step) => {
    await make({ script: [step] })
    expect(await ended(await submitted())).toMatchObject({ state: 'dead', deadAs: 'refused', attempts: 1 })
    await queue.close()
    await make({ script: [{ throws: timeout }, step] })
    expect(await ended(await submitted())).toMatchObject({ state: 'dead', deadAs: 'refused', attempts: 2 })
  })

  it.each<[string, unknown]>([
    ['is a report of success', { success: true, data: 'anything' }],
    ['verified everything', { success: true, verified: { line: true, store: true, note: 'verified' } }],
    ['is null', null],
    ['is a text about a failure', 'timed out'],
  ])('is not found if the result %s', async (_what, ok) => {
    await make({ script: [{ ok }] })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 1, retries: 0 })
    expect(await queue.result(id)).toMatchObject({ value: ok })
  })
})

describe('the schedule', () => {
  it.each([
    ['adaptive', [10, 20, 45, 90, 120, 120]],
    ['exponential', [10, 20, 40, 80, 120, 120]],
    ['fixed10s', [10, 10, 10, 10, 10, 10]],
  ] as const)('%s waits %j seconds', async (backoff, seconds) => {
    await make({ backoff, maxRetries: seconds.length, script: always({ throws: timeout }) })
    const id = await submitted()
    await ended(id)
    const started = (await queue.ledger.attempts(id)).map(({ startedAt }) => startedAt)
    expect(started.slice(1).map((at, index) => (at - (started[index] as number)) / SECOND)).toEqual(seconds)
  })
})

/** What the older queue stored about an operation, as far as readiness depended on it. */
interface Kept {
  status: string
  queued?: boolean
  queued_for_retry?: boolean
  retry_at?: string | null
  locked_until?: string | null
}

/** Brings an operation into that state, and checks whether a runner takes it. */
async function isTaken(kept: Kept): Promise<boolean> {
  beginAt(NOW - 30 * MINUTE)
  await make()
  const lease = Date.parse(kept.locked_until ?? '')
  const inserted = await queue
    .submit('work', {}, { at: new Date(kept.retry_at ?? '') })
    .catch(() => undefined)
  // Without a time, it cannot be submitted.
  if (!inserted) return false
  const { id } = inserted
  if (kept.status === 'completed') {
    await queue.retry(id)
    const runner = queue.runner()
    await runner.start()
    await ended(id)
    await time.until(runner.stop())
  } else if (!kept.queued && !kept.queued_for_retry) await queue.cancel(id)
  else if (lease > NOW) {
    await time.advance(NOW - MINUTE - time.now())
    await queue.engine.edit(id, { dueAt: time.now() })
    const leaseMs = lease - time.now()
    await queue.engine.claim({ runner: 'other', capabilities: ['work'], limit: 1, leaseMs })
  }
  await time.advance(NOW - time.now())
  const before = tries()
  await queue.runner().start()
  await time.advance(SECOND)
  return tries() > before
}

describe('an operation is taken', () => {
  const waiting: Kept = { status: 'failed', queued_for_retry: true, retry_at: '2026-05-01T11:59:50Z' }

  it.each<[boolean, string, Kept]>([
    [true, 'its time has come', waiting],
    [true, 'its time is now', { ...waiting, retry_at: '2026-05-01T12:00:00Z' }],
    [false, 'its time is in the future', { ...waiting, retry_at: '2026-05-01T12:01:00Z' }],
    [false, 'it no longer waits', { ...waiting, queued_for_retry: false }],
    [false, 'it has succeeded', { ...waiting, status: 'completed' }],
    [false, 'another runner has it', { ...waiting, locked_until: '2026-05-01T12:01:00Z' }],
  ])('(%s) if %s', async (expected, _why, kept) => {
    expect(await isTaken(kept)).toBe(expected)
  })

  it.each([Number.NaN, new Date('not-a-date')])(
    'never at %s, which is not a time: it is refused',
    async at => {
      await make()
      const error = await queue.submit('work', {}, { at }).catch((thrown: unknown) => thrown)
      expect(isQueueError(error) && error.code).toBe('invalid')
      expect((await queue.ledger.counts()).total).toBe(0)
    },
  )

  it('from a lost runner, once its lease has ended', async () => {
    await make()
    const { id } = await queue.submit('work')
    await queue.engine.claim({ runner: 'gone', capabilities: ['work'], limit: 1, leaseMs: 90 * SECOND })
    await queue.runner().start()
    await time.advance(80 * SECOND)
    expect(await now(id)).toMatchObject({ state: 'running', run: 1 })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', retries: 1 })
    expect(tries()).toBe(1)
  })

  it('and not silently left behind when it is too old: it is dead as expired, and an event says so', async () => {
    await make({ script: always({ throws: timeout }, 200), maxRetries: 200 }, { retryForMs: 30 * MINUTE })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'expired' })
    expect((await queue.ledger.timeline(id)).at(-1)).toMatchObject({ type: 'dead', data: { as: 'expired' } })
  })

  const lines = vectorsOf('workbuddy', 'sweep_ready').filter(isOurs)
  it.skipIf(lines.length === 0).each(lines)('$id', async ({ input, expected }) => {
    expect(await isTaken(input.record as Kept)).toBe(expected.ready)
  })

  /** Without cases that can no longer wait in this queue (used up, too old) or are taken over. */
  function isOurs({ input }: Vector): boolean {
    const record = input.record as Kept & { attempt: number; max_retries: number; created_at: string }
    const isUsedUp = record.attempt >= record.max_retries
    const isOld = Date.parse(record.created_at) < NOW - 30 * MINUTE
    return !isUsedUp && !isOld && record.status !== 'running'
  }
})

describe('a replay', () => {
  it('that succeeds ends it: its result is stored, and nothing waits or is leased', async () => {
    await make({ script: [{ throws: timeout }], rest: { status: 'ok' } })
    const id = await submitted()
    const operation = await ended(id)
    expect(operation).toMatchObject({ state: 'succeeded', result: { status: 'ok' } })
    expect((await queue.status()).retryQueue).toEqual({ queued: 0 })
    await expectEvents(queue, id, ['submitted', 'claimed', 'retrying', 'claimed', 'succeeded'])
  })

  it('that fails waits again, with one more try counted', async () => {
    await make({ script: always({ throws: timeout }, 2) })
    const id = await submitted()
    expect(await tried(id, 2)).toMatchObject({ state: 'scheduled', attempts: 2, retries: 2 })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })

  it('of several takes each of them', async () => {
    await make({ rest: 'ok' })
    const [one, two] = await queue.submitMany([{ capability: 'work' }, { capability: 'work' }])
    await queue.runner().start()
    const done = [await ended(one?.id as string), await ended(two?.id as string)]
    expect(done).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }])
  })

  it('of a capability that no runner has uses no try: it is parked until one has it', async () => {
    await make()
    const { id } = await queue.submit('gone', {}, { unchecked: true })
    await queue.runner().start()
    await time.advance(62 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'parked', parkedFor: 'runner', attempts: 0, retries: 0 })
  })

  it('of an unknown capability is refused when it is submitted', async () => {
    await make()
    const error = await queue.submit('some_workflow').catch((thrown: unknown) => thrown)
    expect(isQueueError(error) && error.message).toContain('there is no capability "some_workflow"')
  })

  const lines = vectorsOf('workbuddy', 'replay', 'partial_verification', 'sweep_cycle', 'exhaustion').filter(
    ({ input }) =>
      !('disabled_registry' in input) &&
      ('callable_returns' in input || 'callable_raises' in input || 'callable_always_raises' in input),
  )
  it.skipIf(lines.length === 0).each(lines)('$id', async ({ input, expected }) => {
    const raised = (input.callable_raises ?? input.callable_always_raises) as {
      type: string
      message: string
    }
    const step: ScriptStep = raised
      ? { throws: Object.assign(new Error(raised.message), { name: raised.type }) }
      : { ok: input.callable_returns }
    await make({ script: [{ throws: timeout }, step] })
    const id = await submitted()
    await tried(id, 2)
    const [, attempt] = await queue.ledger.attempts(id)
    const [first = expected] = (expected.results ?? [expected.replay ?? expected]) as Record<
      string,
      unknown
    >[]
    const isSuccess = first.success ?? expected.all_success ?? false
    expect(attempt?.failure === undefined).toBe(isSuccess)
    if ('transient' in first) {
      expect(['transient', 'timeout'].includes(attempt?.failure?.class ?? '')).toBe(first.transient)
      expect(attempt?.verdict?.action === 'retry').toBe(first.transient)
    }
  })

  it('waits for its provider instead of calling it anyway, and continues when that is back', async () => {
    await make({ provider: 'bridge', rest: { success: true, task_id: 't-abc' } })
    await queue.health.pause('bridge')
    const id = await submitted()
    await time.advance(10 * MINUTE)
    expect(await now(id)).toMatchObject({ state: 'scheduled', attempts: 0 })
    await queue.health.resume('bridge')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 1, retries: 0 })
  })
})

describe('exhaustion', () => {
  it('comes with the last try, and all tries are in the history', async () => {
    await make({ maxRetries: 2, script: always({ throws: timeout }) })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'exhausted', attempts: 3, retries: 2 })
    const attempts = await queue.ledger.attempts(id)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(attempts.at(-1)).toMatchObject({ verdict: { action: 'cancel', as: 'exhausted' } })
    expect(await queue.status()).toMatchObject({ retryQueue: { queued: 0, exhausted: 1 }, dead: 1 })
    await time.advance(MINUTE)
    expect(tries()).toBe(3)
  })

  it('counts attempts, including the first, if the preset of the older queue decides', async () => {
    await make({ policy: PRESETS.workBuddy, maxRetries: 5, script: always({ throws: timeout }) })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'exhausted', attempts: 5 })
    const started = (await queue.ledger.attempts(id)).map(({ startedAt }) => (startedAt - NOW) / SECOND)
    expect(started).toEqual([0, 10, 30, 75, 165])
  })

  it('is not the end: a person may start it afresh', async () => {
    await make({ maxRetries: 0, script: [{ throws: timeout }] })
    const id = await submitted()
    await ended(id)
    expect(await queue.retry(id)).toBe('revived')
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: 2 })
  })
})

describe('verify first', () => {
  const verified = (
    answers: CheckAnswer[],
    script: readonly ScriptStep[],
    more: Partial<ScriptedOptions> = {},
  ) => {
    let asked = 0
    const verify = () => answers[asked++] ?? 'unsure'
    return make({ retry: 'verify_first', verify, script, ...more }).then(() => () => asked)
  }
  const uncertain: ScriptStep = {
    throws: Object.assign(new Error('no reply'), { error_kind: 'obsidian_post_write_uncertain' }),
  }

  it.each<[string, CheckAnswer[], readonly ScriptStep[], number, number]>([
    ['done skips the replay', ['done'], [uncertain], 1, 1],
    ['absent replays', ['absent'], [uncertain], 2, 1],
    ['a try that can have done nothing is not checked', [], [{ fails: 'network' }], 2, 0],
    ['a replay that is uncertain again is checked again', ['absent', 'done'], [uncertain, uncertain], 2, 2],
    ['doubt checks again and never replays', ['unsure', 'unsure', 'done'], [uncertain], 1, 3],
  ])('%s', async (_what, answers, script, calls, questions) => {
    const asked = await verified(answers, script)
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect([tries(), asked()]).toEqual([calls, questions])
    expect((await queue.status()).retryQueue).toEqual({ queued: 0 })
  })

  it('says with the success that it was found and not run', async () => {
    await verified([{ state: 'done', value: { path: 'notes/x.md' } }], [uncertain])
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', result: { path: 'notes/x.md' } })
    expect((await queue.ledger.attempts(id)).at(-1)).toMatchObject({ note: { verification: 'done' } })
  })

  it('is checked after a result that could verify only part of itself', async () => {
    const asked = await verified(['done'], [{ ok: { success: true, verified: { line: 'absent' } } }])
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect([tries(), asked()]).toEqual([1, 1])
  })
})

describe('the caller', () => {
  it.each<[string, Partial<ScriptedOptions>, ScriptStep, string]>([
    ['replay, temporary', {}, { throws: timeout }, 'succeeded'],
    [
      'replay, temporary, without a retry in process',
      { maxRetries: 0 },
      { throws: timeout },
      'dead as exhausted',
    ],
    [
      'verify first, temporary',
      { retry: 'verify_first', verify: () => 'absent' },
      { throws: timeout },
      'handed over',
    ],
    ['none, temporary, perhaps done', { retry: 'none' }, { throws: timeout }, 'dead as unverifiable'],
    ['none, temporary, surely not done', { retry: 'none', maxRetries: 1 }, { fails: 'network' }, 'succeeded'],
    ['replay, refused', {}, { throws: new TypeError('missing arg') }, 'dead as refused'],
    ['replay, unknown', {}, { throws: new Error('mystery') }, 'parked for label'],
  ])('gets the right answer for %s', async (_what, given, step, outcome) => {
    await make({ ...given, script: [step] })
    const result = await time.until(queue.run('work', {})).catch((thrown: unknown) => thrown)
    if (isOperationFailed(result)) expect(`dead as ${result.operation.deadAs}`).toBe(outcome)
    else {
      const told = result as Awaited<ReturnType<typeof queue.run>>
      const parkedFor = isHandedOver(told) ? told.parkedFor : undefined
      const handed = parkedFor === undefined ? 'handed over' : `parked for ${parkedFor}`
      expect(isHandedOver(told) ? handed : 'succeeded').toBe(outcome)
      if (isHandedOver(told)) expect(told.retryHint).toContain('Not done yet')
    }
  })
})

describe('a retry by hand', () => {
  it('of a succeeded operation runs nothing, and its result stays', async () => {
    await make({ rest: { x: 1 } })
    const id = await submitted()
    await ended(id)
    expect(await queue.retry(id)).toBe('none')
    expect(await queue.result(id)).toMatchObject({ state: 'succeeded', value: { x: 1 } })
    expect(tries()).toBe(1)
  })

  it('of a running operation leaves it alone', async () => {
    await make({ script: [{ hangs: true }] })
    const id = await submitted()
    while (tries() === 0) await time.advance(time.nextIn ?? 0)
    expect(await queue.retry(id)).toBe('none')
    expect(await now(id)).toMatchObject({ state: 'running', run: 1 })
    await queue.cancel(id)
    await ended(id)
  })

  it('of a waiting operation makes it due at once', async () => {
    await make({ script: [{ throws: timeout }] })
    const id = await submitted()
    await tried(id, 1)
    expect(await queue.retry(id)).toBe('hastened')
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(time.now()).toBe(NOW)
  })

  it('of a missing operation says so', async () => {
    await make()
    for (const id of ['op_404', '']) {
      const error = await queue.retry(id).catch((thrown: unknown) => thrown)
      expect(isQueueError(error) && error.code).toBe('missing')
    }
    await expect(queue.result('op_404')).rejects.toMatchObject({ code: 'missing' })
  })
})

describe('a submission for later', () => {
  it('is due at once, has not been tried, and runs once if it must not be repeated', async () => {
    await make({ retry: 'none', maxRetries: 0, script: [{ throws: timeout }] })
    const params = { user: 'hello', max_tokens: 256 }
    const { id } = await queue.submit('work', params, { session: 'asker' })
    expect(await now(id)).toMatchObject({
      state: 'scheduled',
      dueAt: NOW,
      attempts: 0,
      params,
      session: 'asker',
      source: 'submit',
    })
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'dead', attempts: 1 })
  })

  it('is refused with an invalid priority, and nothing is written', async () => {
    await make()
    await expect(queue.submit('work', {}, { priority: 99 })).rejects.toThrow('99')
    expect((await queue.ledger.counts()).total).toBe(0)
  })

  it.each([
    [undefined, 30],
    [600 * SECOND, 600],
  ])('with a lease of %s is taken over after %i s of silence', async (leaseMs, seconds) => {
    await make(leaseMs === undefined ? {} : { leaseMs })
    const { id } = await queue.submit('work')
    const { leasesMs } = queue.registry.claims
    await queue.engine.claim({ runner: 'gone', capabilities: ['work'], limit: 1, leasesMs })
    await queue.runner().start()
    await time.advance((seconds - 5) * SECOND)
    expect(await now(id)).toMatchObject({ state: 'running', run: 1 })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })
})

describe('the status', () => {
  it('of an empty queue is empty', async () => {
    await make()
    expect((await queue.status()).retryQueue).toEqual({ queued: 0 })
  })

  it('counts waiting operations with the time of the next, and separately those out of tries', async () => {
    await make({ maxRetries: 0, script: [{ throws: timeout }] })
    await ended(await submitted())
    const next = NOW + 30 * SECOND
    await queue.submit('work', {}, { at: next })
    await queue.submit('work', {}, { at: next + SECOND })
    const { retryQueue, dead, deadAs } = await queue.status()
    expect({ retryQueue, dead, deadAs }).toEqual({
      retryQueue: { queued: 2, nextRetryAt: next, exhausted: 1 },
      dead: 1,
      deadAs: { exhausted: 1 },
    })
  })

  it('of an operation says what it waits for, since when it failed and how often it may', async () => {
    await make({ script: [{ throws: timeout }] })
    const { id } = await queue.submit('work', {}, { source: 'cron' })
    await queue.runner().start()
    expect(operationToJson(await tried(id, 1), { maxRetries: 5 })).toMatchObject({
      state: 'scheduled',
      source: 'cron',
      due_at: '2026-05-01T12:00:10.000Z',
      remaining_retries: 4,
      failure: { class: 'timeout' },
    })
  })
})

describe('pruning', () => {
  it('deletes what ended long ago, and never what still waits', async () => {
    await make()
    const { id: done } = await queue.submit('work')
    const runner = queue.runner()
    await runner.start()
    await ended(done)
    await time.until(runner.stop())
    const { id: waits } = await queue.submit('work', {}, { at: NOW + 365 * 1_440 * MINUTE })
    await time.advance(8 * 1_440 * MINUTE)
    expect(await queue.ledger.prune()).toEqual({ succeeded: 1, dead: 0, events: 0, notices: 0, workflows: 0 })
    expect(await queue.ledger.get(done)).toBeUndefined()
    expect(await now(waits)).toMatchObject({ state: 'scheduled' })
  })
})
