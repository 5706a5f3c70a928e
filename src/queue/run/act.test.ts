import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../../test/work.ts'
import type { ResumeFrom } from '../../capability/context.ts'
import { defineCapability } from '../../capability/define.ts'
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import { KnownFailure } from '../../failure/own-error.ts'
import { failureOfKind } from '../../testing/core/scripted-failure.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { Verdict } from '../../verdict/verdict.ts'

eachTest()

const words = { reason: 'r', rule: 'r' }
const resume: Verdict = { action: 'retry', delayMs: 10, mode: 'resume', ...words }
const failover: Verdict = { action: 'failover', ...words }
const cut = { kind: 'overloaded', effect: 'maybe', sessionId: 's1' } as const
const tries = () => scripted.script.tries.map(({ provider, resumed, run }) => ({ provider, resumed, run }))

/** Continues the session once, then sends the work to another provider. */
const resumeOnce = (_failure: unknown, { retries }: Circumstances): Verdict =>
  retries === 0 ? resume : failover

describe('a failover', () => {
  it('leaves the session of the previous provider behind, while a caller waits', async () => {
    const script = [{ fails: cut }, { fails: cut }]
    await make({ pool: ['a', 'b'], resumable: true, policy: resumeOnce, script })
    expect(await time.until(queue.run('work', {}))).toMatchObject({ value: 'ok' })
    expect(tries()).toEqual([
      { provider: 'a', resumed: undefined, run: 1 },
      { provider: 'a', resumed: 's1', run: 1 },
      { provider: 'b', resumed: undefined, run: 1 },
    ])
  })

  it('leaves it behind in a run that continued it', async () => {
    const script = [{ fails: cut }, { fails: cut }]
    await make({ pool: ['a', 'b'], resumable: true, policy: resumeOnce, script })
    expect(await ended(await submitted())).toMatchObject({ state: 'succeeded', run: 2 })
    expect(tries()).toEqual([
      { provider: 'a', resumed: undefined, run: 1 },
      { provider: 'a', resumed: 's1', run: 2 },
      { provider: 'b', resumed: undefined, run: 2 },
    ])
  })

  it('goes to no provider that was tried in this run', async () => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    const script = [{ fails }, { fails }]
    const elsewhere = (_failure: unknown, { otherProviderAvailable }: Circumstances): Verdict =>
      otherProviderAvailable ? failover : { action: 'cancel', as: 'refused', ...words }
    await make({ pool: ['a', 'b'], policy: elsewhere, script })
    expect(await ended(await submitted())).toMatchObject({ state: 'dead', deadAs: 'refused' })
    expect(tries().map(({ provider }) => provider)).toEqual(['a', 'b'])
  })

  it('that exceeds the time of the caller is made by a runner, at once', async () => {
    const elsewhere = (_failure: unknown, { otherProviderAvailable }: Circumstances): Verdict | undefined =>
      otherProviderAvailable ? failover : undefined
    await make({ pool: ['a', 'b'], policy: elsewhere, script: [{ hangs: true }] })
    const result = await time.until(queue.run('work', {}, { budgetMs: 5_000 }))
    expect(result).toMatchObject({ queuedForRetry: true })
    const operation = await now('op_1')
    expect(operation).toMatchObject({ state: 'scheduled', attempts: 1, retries: 0, reason: 'r' })
    expect('dueAt' in operation && operation.dueAt).toBe(time.now())
    await queue.runner().start()
    expect(await ended('op_1')).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('is not made by a run that another runner has taken over', async () => {
    const ledger = await memoryLedger({ time })
    const engine = new EmbeddedEngine({ ledger })
    engine.append = async () => ({ settled: false, reason: 'stale' }) as never
    const given = { pool: ['a', 'b'], policy: () => failover, script: [{ fails: cut }] }
    const problems: unknown[] = []
    await make(given, { ledger, engine, onProblem: problem => problems.push(problem) })
    await submitted()
    await time.advance(1_000)
    expect(tries().map(({ provider }) => provider)).toEqual(['a'])
    expect(problems).toEqual([])
  })
})

describe('work that turns out to have taken effect, at its limit', () => {
  it('ends once, as a success', async () => {
    const ledger = await memoryLedger({ time })
    const engine = new EmbeddedEngine({ ledger })
    const settle = vi.spyOn(engine, 'settle')
    const capability = defineCapability({
      name: 'pay',
      params: z.object({}),
      retry: 'verify_first',
      maxRetries: 0,
      run: (): never => {
        throw new KnownFailure(failureOfKind(cut))
      },
      verify: { check: () => true },
    })
    await make({}, { ledger, engine, with: [capability] })
    await queue.runner().start()
    expect(await ended((await queue.submit('pay', {})).id)).toMatchObject({ state: 'succeeded' })
    expect(settle).toHaveBeenCalledTimes(1)
  })
})

/** Work whose first try is aborted in a session; returns what each try was to resume. */
function cutOnce(cwd?: string) {
  const resumed: (ResumeFrom | undefined)[] = []
  const capability = defineCapability({
    name: 'session',
    params: z.object({}),
    retry: 'replay',
    provider: 'a',
    resumable: true,
    policy: () => resume,
    run: (_params, { resume: from, record }) => {
      resumed.push(from)
      if (from) return 'ok'
      record({ sessionId: 's1', ...(cwd === undefined ? {} : { cwd }) })
      throw new KnownFailure(failureOfKind(cut))
    },
  })
  return { capability, resumed }
}

describe('a session that is continued while a caller waits', () => {
  it('continues in its folder, and the work learns what interrupted it', async () => {
    const { capability, resumed } = cutOnce('/work/tree')
    await make({}, { with: [capability] })
    expect(await time.until(queue.run('session', {}))).toMatchObject({ value: 'ok' })
    const failure = expect.objectContaining({ kind: 'overloaded', sessionId: 's1' })
    expect(resumed).toEqual([undefined, { sessionId: 's1', cwd: '/work/tree', failure }])
  })

  it('has no folder if none was recorded', async () => {
    const { capability, resumed } = cutOnce()
    await make({}, { with: [capability] })
    expect(await time.until(queue.run('session', {}))).toMatchObject({ value: 'ok' })
    expect(resumed[1]).toHaveProperty('sessionId', 's1')
    expect(resumed[1]).not.toHaveProperty('cwd')
  })
})

describe('a retry', () => {
  const again: Verdict = { action: 'retry', delayMs: 10, mode: 'again', ...words }

  it('waits as long as was decided, for the reason that was given', async () => {
    await make({ provider: 'a', policy: () => again, script: [{ fails: cut }], retry: 'replay' })
    const id = await submitted()
    await time.advance(5)
    expect(await now(id)).toMatchObject({ state: 'scheduled', dueAt: time.now() + 5, reason: 'r' })
  })

  it('starts over without the session if the verdict says so', async () => {
    await make({ pool: ['a', 'b'], resumable: true, policy: () => again, script: [{ fails: cut }] })
    expect(await time.until(queue.run('work', {}))).toMatchObject({ value: 'ok' })
    expect(tries().map(({ provider, resumed }) => [provider, resumed])).toEqual([
      ['a', undefined],
      ['a', undefined],
    ])
  })

  it('made while a caller waited is known to the policy, apart from those of the queue', async () => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    const seen: unknown[] = []
    const policy = (_failure: unknown, { retries, foreground, durable }: Circumstances): Verdict => {
      if (!durable) return again
      seen.push({ retries, foreground })
      return { action: 'cancel', as: 'refused', ...words }
    }
    const script = Array.from({ length: 9 }, () => ({ fails }))
    await make({ provider: 'a', policy, maxRetries: 2, script })
    await time.until(queue.run('work', {}).catch(() => {}))
    expect(seen).toEqual([{ retries: 0, foreground: 2 }])
    expect(tries()).toHaveLength(3)
  })

  it.each([0, 1])('is not made beyond the limit of the queue, %i, although a caller waits', async limit => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    await make({ provider: 'a', script: Array.from({ length: 9 }, () => ({ fails })) }, { maxRetries: limit })
    await time.until(queue.run('work', {}).catch(() => {}))
    expect(tries()).toHaveLength(limit + 1)
  })

  it('is left to the queue if the caller does not wait that long', async () => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    await make({ provider: 'a', policy: () => again, script: [{ fails }] })
    const result = await time.until(queue.run('work', {}, { waitHereMs: 0 }))
    expect(result).toMatchObject({ queuedForRetry: true })
    expect(tries()).toHaveLength(1)
  })
})
