import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import type { SqliteTransaction } from '../ledger/sqlite/sqlite-transaction.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { OpenedQueue } from './open.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** An engine that stores other words than it was given: every reason and every rule becomes `words`. */
function reworded(engine: EmbeddedEngine, words: string): EmbeddedEngine {
  const other = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(other)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) =>
        // A refusal is only compared with another refusal; it is not a sentence.
        name === 'refusal'
          ? [name, inner]
          : name === 'reason' || name === 'rule'
            ? [name, words]
            : [name, other(inner)],
      ),
    )
  }
  return new Proxy(engine, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      const isReworded = ['settle', 'release', 'unpark', 'park', 'append'].includes(String(name))
      return (...given: unknown[]) =>
        (member as (...args: unknown[]) => unknown).apply(target, isReworded ? given.map(other) : given)
    },
  })
}

interface Setting {
  queue: OpenedQueue
  time: FakeTime
}

async function withWords(
  words: string | undefined,
  capabilities: readonly Capability[],
  work: (setting: Setting) => Promise<void>,
): Promise<void> {
  const time = new FakeTime()
  const ledger = await memoryLedger({ time })
  const engine = new EmbeddedEngine({ ledger })
  const health = new Health({ providers: [{ id: 'a' }], time, random: () => 0 })
  const { queue } = await testQueue({
    capabilities,
    time,
    ledger,
    health,
    engine: words === undefined ? engine : reworded(engine, words),
  })
  await queue.runner().start()
  await work({ queue, time })
  await closeChecked(queue)
  await engine.close()
}

/** Sentences and rules that once decided something, and any others. */
const WORDS = fc.oneof(
  fc.constantFrom(
    'a person asked for it',
    'provider a can be used again',
    'capability:secret',
    'default:login',
    'ANYTHING',
  ),
  fc.string({ minLength: 1 }),
)

const forAnyWords = (test: (words: string) => Promise<void>) =>
  fc.assert(fc.asyncProperty(WORDS, test), {
    numRuns: 5,
    examples: [['a person asked for it'], ['provider a can be used again'], ['capability:secret']],
  })

/** Work that must not run twice, and that a policy parks. */
function parkedOnce(tries: string[]): Capability {
  const verdict: Verdict = { action: 'park', for: 'label', reason: 'r', rule: 'r' }
  return defineCapability({
    name: 'once',
    params: z.object({}),
    retry: 'none',
    policy: () => verdict,
    run: () => {
      tries.push('once')
      throw Object.assign(new Error('Overloaded'), { status: 529 })
    },
  }) as Capability
}

describe('whatever the reasons and rules of events say', () => {
  it('only a person who retries takes responsibility for what was done', () =>
    forAnyWords(async words => {
      const tries: string[] = []
      await withWords(words, [parkedOnce(tries)], async ({ queue, time }) => {
        const { id } = await queue.submit('once', {})
        await time.advance(MINUTE)
        await queue.unpark({ parkedFor: 'label' }, 'labelled')
        await time.advance(MINUTE)
        expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
        const other = await queue.submit('once', {})
        await time.advance(MINUTE)
        await queue.retry(other.id, { mayRepeat: true })
        await time.advance(MINUTE)
        expect(await queue.ledger.get(other.id)).toMatchObject({ state: 'parked', attempts: 2 })
        expect(tries).toHaveLength(3)
      })
    }))

  it('an operation with a refused login continues when its provider serves a call, three times at most', () =>
    forAnyWords(async words => {
      let refusals = 0
      const refused = defineCapability({
        name: 'refused',
        params: z.object({}),
        retry: 'replay',
        provider: 'a',
        run: () => {
          refusals++
          throw Object.assign(new Error('invalid x-api-key'), { status: 401 })
        },
      }) as Capability
      const fine = defineCapability({
        name: 'fine',
        params: z.object({}),
        retry: 'replay',
        provider: 'a',
        run: () => 'done',
      }) as Capability
      await withWords(words, [refused, fine], async ({ queue, time }) => {
        const { id } = await queue.submit('refused', {})
        for (let others = 0; others < 6; others++) {
          await time.advance(HOUR)
          await time.until(queue.wait((await queue.submit('fine', {})).id))
        }
        await time.advance(MINUTE)
        expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'login' })
        expect(refusals).toBe(4)
      })
    }))

  it('an operation that a policy parked for a secret waits for a person', () =>
    forAnyWords(async words => {
      const verdict: Verdict = { action: 'park', for: 'secret', reason: 'r', rule: 'capability:secret' }
      const asks = defineCapability({
        name: 'asks',
        params: z.object({}),
        retry: 'replay',
        policy: () => verdict,
        run: () => Promise.reject(new Error('no')),
      }) as Capability
      await withWords(words, [asks], async ({ queue, time }) => {
        const { id } = await queue.submit('asks', {})
        await time.advance(HOUR)
        expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', run: 1 })
      })
    }))

  it('an operation that no provider admits waits longer each time', () =>
    forAnyWords(async words => {
      const work = defineCapability({
        name: 'work',
        params: z.object({}),
        retry: 'replay',
        provider: 'a',
        run: () => 'done',
      }) as Capability
      await withWords(words, [work], async ({ queue, time }) => {
        const { health } = queue
        await health.pause('a', 'invoice unpaid')
        const choose = health.choose.bind(health)
        health.choose = async request => {
          const choice = await choose(request)
          return choice.permit ? choice : { ...choice, availableAt: time.now() }
        }
        health.status = async () => []
        const { id } = await queue.submit('work', {})
        await time.advance(HOUR)
        expect((await queue.ledger.get(id))?.run).toBeLessThanOrEqual(14)
      })
    }))
})

describe('an operation that a person moved under 0.1.0', () => {
  it('may run again, although its event has only words', async () => {
    const tries: string[] = []
    await withWords(undefined, [parkedOnce(tries)], async ({ queue, time }) => {
      const { id } = await queue.submit('once', {})
      await time.advance(MINUTE)
      await queue.ledger.transaction(writes => {
        writes.unpark(id, { by: 'person', reason: 'r' })
        ;(writes as SqliteTransaction).db.exec(
          `UPDATE events SET data = '{"reason":"a person asked for it","was":"label"}' WHERE type = 'unparked'`,
        )
      })
      await queue.engine.wake()
      await time.advance(MINUTE)
      expect(tries).toHaveLength(2)
      expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', attempts: 2 })
    })
  })
})
