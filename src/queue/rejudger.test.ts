import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import { Signatures } from '../failure/signature.ts'
import type { NewLabel } from '../ledger/label.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import type { OpenedQueue } from './open.ts'
import { queueDepsOf } from './queue-deps.ts'
import { Rejudger } from './rejudger.ts'

/** Seals nothing: no key is ever made. */
const secrets = new Secrets({ folder: join(tmpdir(), 'mulligan-test-without-files'), env: {} })

const HOUR = 3_600_000
const SENTENCE = (n: number) => `unit ${n}: the flux capacitor is detuned (job ${n}f3a9c2d1e${n})`

let time: FakeTime
let queue: OpenedQueue
/** Whether the vendor fails with the sentence that nothing recognises. */
let isBroken: boolean
let tries: number

const capabilityOf = (name: string, retry: RetryPolicy, more: object = {}): Capability =>
  defineCapability({
    name,
    params: z.object({ n: z.number().default(0) }),
    retry,
    ...(retry === 'verify_first' ? { verify: () => 'absent' as const } : {}),
    run: ({ n }: { n: number }) => {
      tries++
      if (isBroken) throw new Error(SENTENCE(n))
      return n
    },
    ...more,
  } as never) as Capability
const work = capabilityOf('work', 'replay')
const once = capabilityOf('once', 'none')
const checked = capabilityOf('checked', 'verify_first')
/** May not run twice, but knows that a failed try did nothing. */
const harmless = capabilityOf('harmless', 'none', {
  atomic: true,
  classifier: (thrown: unknown, context: ClassifyContext) => {
    const failure = classify(thrown, context)
    return failure && { ...failure, effect: 'none' }
  },
})

const parkedBy = async (capability: string, count: number) => {
  const inserted = await queue.submitMany(
    Array.from({ length: count }, (_, n) => ({ capability, params: { n } })),
  )
  await time.advance(5_000)
  const ids = inserted.map(({ id }) => id)
  for (const id of ids)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'label' })
  return ids
}
const fingerprintOf = async (id = '') => (await queue.ledger.get(id))?.failure?.fingerprint as string
const label = (given: Omit<NewLabel, 'who'>) =>
  queue.ledger.transaction(writes => writes.addLabel({ who: 'ada', ...given }))

beforeEach(async () => {
  time = new FakeTime()
  isBroken = true
  tries = 0
  ;({ queue } = await testQueue({ time, capabilities: [work, once, checked, harmless], random: () => 0 }))
  await queue.runner({ concurrency: 50 }).start()
})
afterEach(() => closeChecked(queue))

describe('operations that are parked on an unknown failure', () => {
  it('run and succeed once it is labelled transient, and the next such failure is transient at once', async () => {
    const ids = await parkedBy('work', 50)
    expect(new Set(await Promise.all(ids.map(fingerprintOf))).size).toBe(1)
    isBroken = false
    await label({ fingerprint: await fingerprintOf(ids[0]), class: 'transient' })
    await time.advance(60_000)
    const { states } = await queue.ledger.counts({ ids })
    expect(states).toMatchObject({ succeeded: 50, parked: 0 })
    expect(tries).toBe(100)
    isBroken = true
    const [{ id } = { id: '' }] = await queue.submitMany([{ capability: 'work', params: { n: 99 } }])
    await time.advance(1_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled', retries: 1 })
    expect((await queue.ledger.attempts(id))[0]?.failure).toMatchObject({ class: 'transient' })
  })

  it('snooze for as long as the label says', async () => {
    const ids = await parkedBy('work', 50)
    await label({ fingerprint: await fingerprintOf(ids[0]), class: 'throttle', retryAfterMs: HOUR })
    const at = time.now()
    await time.advance(5_000)
    for (const id of ids) {
      const operation = await queue.ledger.get(id)
      expect(operation).toMatchObject({ state: 'scheduled', snoozes: 1 })
      expect((operation as { dueAt: number }).dueAt).toBeGreaterThanOrEqual(at + HOUR)
    }
  })

  it.each([
    [{ class: 'permanent', kind: 'auth' }, 'login'],
    [{ class: 'throttle', kind: 'billing' }, 'payment'],
  ] as const)('labelled %j are parked for a %s', async (given, parkedFor) => {
    const [id = ''] = await parkedBy('work', 1)
    await label({ fingerprint: await fingerprintOf(id), ...given })
    await time.advance(2_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor })
  })

  it('end as refused if it is labelled permanent, and say why', async () => {
    const [id = ''] = await parkedBy('work', 1)
    await label({ fingerprint: await fingerprintOf(id), class: 'permanent', kind: 'not_found' })
    await time.advance(2_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'refused' })
    expect((await queue.ledger.attempts(id))[0]?.failure).toMatchObject({ kind: 'not_found' })
    const died = (await queue.ledger.timeline(id)).find(({ type }) => type === 'dead')
    expect(died?.data).toMatchObject({ by: 'label' })
  })

  it('are not parked if they may not run twice, so no label runs them blindly or ends them later', async () => {
    const [{ id } = { id: '' }] = await queue.submitMany([{ capability: 'once', params: {} }])
    await time.advance(5_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    await label({ fingerprint: await fingerprintOf(id), class: 'transient', effect: 'none' })
    await time.advance(60_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    expect(tries).toBe(1)
  })

  it.each([
    ['work', 'it runs again if the failure is temporary, and ends if it is permanent'],
    [
      'checked',
      'it runs again if the failure is temporary and it has not happened, and ends if it is permanent',
    ],
    ['harmless', 'it runs again if the failure is temporary, and ends if it is permanent'],
  ])('by %s tell the caller what the label will do, and it does that', async (capability, words) => {
    const told = async () => {
      const result = await time.until(queue.run(capability, { n: 1 }))
      expect(result).toMatchObject({ parkedFor: 'label', retryHint: expect.stringContaining(words) })
      return result.operationId
    }
    const id = await told()
    isBroken = false
    const { id: first } = await label({ fingerprint: await fingerprintOf(id), class: 'transient' })
    await time.advance(60_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'succeeded', run: 2 })
    isBroken = true
    await queue.ledger.transaction(writes => writes.withdrawLabel(first, 'ada'))
    const other = await told()
    await label({ fingerprint: await fingerprintOf(other), class: 'permanent', kind: 'not_found' })
    await time.advance(60_000)
    expect(await queue.ledger.get(other)).toMatchObject({ state: 'dead', deadAs: 'refused' })
    expect(tries).toBe(3)
  })

  it('stay unknown once the label is withdrawn', async () => {
    const [first = ''] = await parkedBy('work', 1)
    const { id } = await label({ fingerprint: await fingerprintOf(first), class: 'permanent' })
    await time.advance(2_000)
    await queue.ledger.transaction(writes => writes.withdrawLabel(id, 'ada'))
    await time.advance(2_000)
    await parkedBy('work', 1)
  })

  it('continue even if a run read the label before they were checked', async () => {
    const ids = await parkedBy('work', 2)
    isBroken = false
    await label({ fingerprint: await fingerprintOf(ids[0]), class: 'transient' })
    await queue.submitMany([{ capability: 'work', params: { n: 7 } }])
    await time.advance(60_000)
    expect((await queue.ledger.counts({ ids })).states.succeeded).toBe(2)
  })

  it('keep waiting if the label is for another provider', async () => {
    const [id = ''] = await parkedBy('work', 1)
    await label({ fingerprint: await fingerprintOf(id), class: 'transient', provider: 'other' })
    await time.advance(5_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked' })
  })

  it('continue if the label is for their provider, although others are parked on another provider', async () => {
    const [first = '', second = ''] = await parkedBy('work', 2)
    // The second is checked first, because it is newer.
    const providers: Record<string, string> = { [first]: 'meant', [second]: 'other' }
    const ledger = new Proxy(queue.ledger, {
      get: (target, name) => {
        if (name === 'attempts')
          return async (id: string) =>
            (await target.attempts(id)).map(attempt => ({ ...attempt, provider: providers[id] }))
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await label({
      fingerprint: await fingerprintOf(first),
      provider: 'meant',
      class: 'permanent',
      kind: 'not_found',
    })
    const { engine, registry, health } = queue
    const rejudger = new Rejudger(
      queueDepsOf({ ledger, engine, registry, health, time, secrets }, () => 'id'),
    )
    await rejudger.look()
    await rejudger.close()
    expect(await queue.ledger.get(first)).toMatchObject({ state: 'dead', deadAs: 'refused' })
    expect(await queue.ledger.get(second)).toMatchObject({ state: 'parked' })
    const died = (await queue.ledger.timeline(first)).find(({ type }) => type === 'dead')
    expect(died?.data).toMatchObject({ by: 'label' })
  })

  it('continue although the ledger could not be read the first time', async () => {
    const [id = ''] = await parkedBy('work', 1)
    isBroken = false
    const { engine, registry, health } = queue
    let failures = 1
    const ledger = new Proxy(queue.ledger, {
      get: (of, verb: keyof typeof queue.ledger) => {
        if (verb === 'list' && failures-- > 0) return () => Promise.reject(new Error('away'))
        const value = of[verb] as unknown
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
    const told: unknown[] = []
    const signatures = new Signatures('', {}, [{ pattern: 'flux capacitor', class: 'transient' }])
    const parts = { ledger, engine, registry, health, time, secrets, classify: { signatures } }
    const deps = queueDepsOf({ ...parts, onProblem: problem => told.push(problem) }, () => 'id')
    const rejudger = new Rejudger(deps)
    await rejudger.look()
    expect(told).toMatchObject([{ about: 'queue', error: { message: 'away' } }])
    await rejudger.look()
    await rejudger.close()
    await time.advance(60_000)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'succeeded' })
  })

  it('continue when a config is loaded that recognises their failure', async () => {
    const ids = await parkedBy('work', 3)
    isBroken = false
    const { ledger, engine, registry, health } = queue
    const signatures = new Signatures('', {}, [{ pattern: 'flux capacitor', class: 'transient' }])
    const parts = { ledger, engine, registry, health, time, secrets, classify: { signatures } }
    const rejudger = new Rejudger(queueDepsOf(parts, () => 'id'))
    await rejudger.look()
    await rejudger.close()
    await time.advance(60_000)
    expect((await queue.ledger.counts({ ids })).states.succeeded).toBe(3)
    const rejudged = (await ledger.timeline(ids[0] as string)).find(({ type }) => type === 'retrying')
    expect(rejudged?.data).toMatchObject({ by: 'config' })
  })
})
