// What the compiler promises to users of the entry points. The lines that must not compile are checked by tsc, which is
// part of `npm test`: a @ts-expect-error above a line that compiles is an error.
import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from './capability/index.ts'
import { type Circumstances, call, classify, decide, type PolicyLike, type Verdict } from './index.ts'
import { isHandedOver, type OperationId } from './queue/index.ts'
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

it('a misspelt option of a call does not compile, and is answered with the right one', async () => {
  // @ts-expect-error maxRetry is no option
  const misspelt = call(() => 1, { maxRetry: 3 })
  await expect(misspelt).rejects.toThrow('maxRetry')
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
