import { describe, expect, it } from 'vitest'
import { eachTest, ended, make, queue, scripted, submitted, time } from '../../testing/test-work.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { Verdict } from '../../verdict/verdict.ts'

eachTest()

const words = { reason: 'r', rule: 'r' }
const resume: Verdict = { action: 'retry', delayMs: 10, mode: 'resume', ...words }
const failover: Verdict = { action: 'failover', ...words }
const cut = { kind: 'overloaded', effect: 'maybe', sessionId: 's1' } as const
const tries = () => scripted.script.tries.map(({ provider, resumed, run }) => ({ provider, resumed, run }))

/** Continues the session once, then gives the work to another provider. */
const resumeOnce = (_failure: unknown, { retries }: Circumstances): Verdict =>
  retries === 0 ? resume : failover

describe('a failover', () => {
  it('leaves the session of the provider before it behind, while a caller waits', async () => {
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
})

describe('a retry', () => {
  const again: Verdict = { action: 'retry', delayMs: 10, mode: 'again', ...words }

  it('starts over without the session where the verdict says so', async () => {
    await make({ pool: ['a', 'b'], resumable: true, policy: () => again, script: [{ fails: cut }] })
    expect(await time.until(queue.run('work', {}))).toMatchObject({ value: 'ok' })
    expect(tries().map(({ provider, resumed }) => [provider, resumed])).toEqual([
      ['a', undefined],
      ['a', undefined],
    ])
  })

  it('counts for the operation although it was made while a caller waited', async () => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    const seen: number[] = []
    const policy = (_failure: unknown, { retries, durable }: Circumstances): Verdict => {
      if (!durable) return again
      seen.push(retries)
      return { action: 'cancel', as: 'refused', ...words }
    }
    const script = Array.from({ length: 9 }, () => ({ fails }))
    await make({ provider: 'a', policy, maxRetries: 2, script })
    await time.until(queue.run('work', {}).catch(() => {}))
    expect(seen).toEqual([2])
    expect(tries()).toHaveLength(3)
  })

  it('is left to the queue where the caller does not wait that long', async () => {
    const fails = { kind: 'overloaded', effect: 'none' } as const
    await make({ provider: 'a', policy: () => again, script: [{ fails }] })
    const result = await time.until(queue.run('work', {}, { waitHereMs: 0 }))
    expect(result).toMatchObject({ queuedForRetry: true })
    expect(tries()).toHaveLength(1)
  })
})
