// What the compiler promises to users of the entry points. The lines that must not compile are checked by tsc, which is
// part of `npm test`: a @ts-expect-error above a line that compiles is an error.
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { startLab } from '../lab/index.ts'
import { callAgent, resume, runAgent } from './agent/index.ts'
import { defineCapability } from './capability/index.ts'
import { ConfigSource } from './config/index.ts'
import {
  type Circumstances,
  call,
  classify,
  council,
  decide,
  Health,
  type PolicyLike,
  type Verdict,
} from './index.ts'
import { openLedger } from './ledger/index.ts'
import { isHandedOver, type OperationId, openQueue } from './queue/index.ts'
import { testQueue } from './testing/index.ts'

const overloaded = { status: 529, body: { error: { type: 'overloaded_error' } } }

it('a literal pool types the provider', async () => {
  const { value, provider } = await call(
    ({ provider }) => {
      expectTypeOf(provider).toEqualTypeOf<'a' | 'b'>()
      return provider.toUpperCase()
    },
    { pool: ['a', 'b'] },
  )
  expectTypeOf(value).toEqualTypeOf<string>()
  expectTypeOf(provider).toEqualTypeOf<'a' | 'b' | undefined>()
  expect([value, provider]).toEqual(['A', 'a'])
})

it('a literal provider types the provider, and names that are not known may be none', async () => {
  const one = await call(({ provider }) => provider, { provider: 'only' })
  expectTypeOf(one.value).toEqualTypeOf<'only'>()
  const names: string[] = ['a', 'b']
  const some = await call(({ provider }) => provider, { pool: names })
  expectTypeOf(some.value).toEqualTypeOf<string | undefined>()
  const none = await call(({ provider }) => provider)
  expectTypeOf(none.value).toEqualTypeOf<string | undefined>()
  expect([one.value, some.value, none.value]).toEqual(['only', 'a', undefined])
})

describe('a misspelt option', () => {
  // As a program in JavaScript would write it; the compiler knows better.
  const misspelt = (options: object) => options as never
  const tick = defineCapability({ name: 'tick', params: z.object({}), retry: 'replay', run: () => 'tock' })
  const settings = { id: 'a', cli: 'command', binary: 'true' } as const
  const memberNamed = (name: string) => ({ name, ask: () => name })

  it('does not compile', async () => {
    // @ts-expect-error maxRetry is no option
    await expect(call(() => 1, { maxRetry: 3 })).rejects.toThrow(TypeError)
  })

  it.each<[string, () => unknown, string]>([
    [
      'call',
      () => call(() => 1, misspelt({ maxRetry: 3 })),
      'call: unknown option maxRetry: did you mean maxRetries?',
    ],
    [
      'council',
      () => council([memberNamed('a'), memberNamed('b')], misspelt({ prompt: 'x', quorm: 2 })),
      'council: unknown option quorm: did you mean quorum?',
    ],
    [
      'a member of a council',
      () => council([misspelt({ ...memberNamed('a'), providr: 'x' }), memberNamed('b')], { prompt: 'x' }),
      'member "a": unknown option providr: did you mean provider?',
    ],
    [
      'Health',
      () => new Health(misspelt({ provider: [] })),
      'health: unknown option provider: did you mean providers?',
    ],
    [
      'a provider',
      () => new Health({ providers: [misspelt({ id: 'a', maxConcurent: 1 })] }),
      'provider "a": unknown option maxConcurent: did you mean maxConcurrent?',
    ],
    [
      'openQueue',
      () => openQueue(misspelt({ data: '/nowhere', capabilites: [] })),
      'openQueue: unknown option capabilites: did you mean capabilities?',
    ],
    [
      'defineCapability',
      () =>
        defineCapability(
          misspelt({ name: 'a', params: z.object({}), retry: 'none', run: () => 1, maxRetry: 1 }),
        ),
      'capability "a": unknown setting maxRetry: did you mean maxRetries?',
    ],
    [
      'callAgent',
      () => callAgent('hello', misspelt({ agents: [], budgetMS: 1 })),
      'callAgent: unknown option budgetMS: did you mean budgetMs?',
    ],
    [
      'what callAgent watches',
      () => callAgent('hello', misspelt({ agents: [], watch: { maxSelfRetry: 1 } })),
      'callAgent: watch: unknown option maxSelfRetry: did you mean maxSelfRetries?',
    ],
    [
      'runAgent',
      () => runAgent(settings, { prompt: 'hello' }, misspelt({ killGrace: 1 })),
      'runAgent: unknown option killGrace: did you mean killGraceMs?',
    ],
    [
      'what runAgent watches',
      () => runAgent(settings, { prompt: 'hello' }, { watch: misspelt({ maxSelfWait: 1 }) }),
      'runAgent: watch: unknown option maxSelfWait: did you mean maxSelfWaitMs?',
    ],
    [
      'resume',
      () => resume(misspelt({ provider: 'a' }), settings, misspelt({ moreTurn: 1 })),
      'resume: unknown option moreTurn: did you mean moreTurns?',
    ],
    [
      'openLedger',
      () => openLedger(misspelt({ file: ':memory:', lockWait: 1 })),
      'openLedger: unknown option lockWait: did you mean lockWaitMs?',
    ],
    [
      'how durable a ledger is',
      () => openLedger({ file: ':memory:', durability: 'ful' as never }),
      'openLedger: durability must be one of normal, full, not ful',
    ],
    [
      'ConfigSource',
      () => new ConfigSource(misspelt({ env: {}, cwd: '/', flagg: 'x' })),
      'ConfigSource: unknown option flagg: did you mean flag?',
    ],
    ['startLab', () => startLab(misspelt({ prot: 80 })), 'startLab: unknown option prot: did you mean port?'],
  ])('of %s is answered with the right one', async (_of, use, message) => {
    await expect(Promise.resolve().then(use)).rejects.toThrow(message)
  })

  it('of an agent is the failure of its run', async () => {
    const outcome = await runAgent(misspelt({ id: 'a', cli: 'command', binry: 'cat' }), { prompt: 'hello' })
    expect(!outcome.ok && outcome.failure).toMatchObject({
      kind: 'config',
      message: 'option binry: no such setting: did you mean binary?',
    })
  })

  it('of a queue is answered with the right one, and nothing is submitted', async () => {
    const { queue, time } = await testQueue({ capabilities: [tick] })
    const refusals: [() => unknown, string][] = [
      [() => queue.submit(tick, {}, misspelt({ prio: 1, priorty: 1 })), 'submit: unknown option prio'],
      [
        () => queue.run(tick, {}, misspelt({ budgetms: 1 })),
        'run: unknown option budgetms: did you mean budgetMs?',
      ],
      [
        () => queue.handOver(tick, {}, overloaded, misspelt({ trise: 1 })),
        'handOver: unknown option trise: did you mean tries?',
      ],
      [() => queue.submitMany([misspelt({ capability: 'tick', param: {} })]), 'param: did you mean params?'],
      [
        () => queue.runner(misspelt({ concurency: 1 })),
        'runner: unknown option concurency: did you mean concurrency?',
      ],
    ]
    for (const [use, message] of refusals) await expect(Promise.resolve().then(use)).rejects.toThrow(message)
    expect((await queue.ledger.list({})).items).toEqual([])
    await time.until(queue.close())
  })
})

it('decide needs nothing but the failure', () => {
  const failure = classify(overloaded)
  const verdict = failure && decide(failure)
  expectTypeOf(verdict).toEqualTypeOf<Verdict | null>()
  expect(verdict).toMatchObject({ action: 'retry' })
  expect(failure && decide(failure, { retries: 2 })).toMatchObject({ action: 'cancel', as: 'exhausted' })
  expectTypeOf(decide).parameter(1).toEqualTypeOf<Partial<Circumstances> | undefined>()
})

it('a policy may answer undefined', () => {
  const patient: PolicyLike = failure =>
    failure.kind === 'loading' ? { action: 'failover', reason: 'it loads', rule: 'patient' } : undefined
  const partial: PolicyLike = { name: 'no mark', health: () => undefined }
  const failure = classify(overloaded)
  expect(failure && decide(failure, {}, [patient, partial]).rule).toBe('default:transient')
})

it('the capability types the parameters and the result of an operation', async () => {
  const double = defineCapability({
    name: 'double',
    params: z.object({ n: z.number(), unit: z.string().default('s') }),
    retry: 'replay',
    run: ({ n, unit }) => {
      expectTypeOf(unit).toEqualTypeOf<string>()
      return n * 2
    },
  })
  const { queue, time } = await testQueue({ capabilities: [double] })

  const ran = await time.until(queue.run(double, { n: 1 }))
  expectTypeOf(ran.operationId).toEqualTypeOf<OperationId<number>>()
  if (isHandedOver(ran)) expect.unreachable()
  expectTypeOf(ran.value).toEqualTypeOf<number>()
  expect(ran.value).toBe(2)

  const { id } = await queue.submit(double, { n: 2, unit: 'min' }, { priority: 1 })
  await queue.runner().start()
  await time.until(queue.wait(id))
  const result = await queue.result(id)
  if (result.state !== 'succeeded') expect.unreachable()
  expectTypeOf(result.value).toEqualTypeOf<number>()
  expect(result.value).toBe(4)

  // By name, or by an id that came from elsewhere, nothing is known.
  const byName = await time.until(queue.run('double', { n: 3 }))
  expectTypeOf(isHandedOver(byName) ? undefined : byName.value).toEqualTypeOf<unknown>()
  const stored: string = byName.operationId
  const known = await queue.result(stored)
  if (known.state === 'succeeded') expectTypeOf(known.value).toEqualTypeOf<unknown>()

  // @ts-expect-error n is a number
  await expect(queue.submit(double, { n: 'two' })).rejects.toThrow('n')
  // @ts-expect-error the parameters are required
  await expect(queue.run(double)).rejects.toThrow('n')
  // @ts-expect-error n is a number
  await expect(queue.handOver(double, { n: 'two' }, overloaded)).rejects.toThrow('n')
  await time.until(queue.close())
})

it('parameters may be left out where none is required', async () => {
  const tick = defineCapability({
    name: 'tick',
    params: z.object({ loud: z.boolean().optional() }),
    retry: 'replay',
    run: () => 'tock' as const,
  })
  const { queue, time } = await testQueue({ capabilities: [tick] })
  const ran = await time.until(queue.run(tick))
  expectTypeOf(isHandedOver(ran) ? undefined : ran.value).toEqualTypeOf<'tock' | undefined>()
  expect(ran).toMatchObject({ value: 'tock' })
  await time.until(queue.close())
})
