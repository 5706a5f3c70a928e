import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { testContext } from '../../test/capability/context.ts'
import { isCapability } from './capability.ts'
import { defineCapability } from './define.ts'
import { isCapabilityError } from './error.ts'
import { commandCapability } from './kind/command-capability.ts'
import { httpCapability } from './kind/http-capability.ts'

const params = z.object({ id: z.string(), count: z.number().default(1) })

describe('a capability from a function', () => {
  it('infers parameters and result from its schema and its function', async () => {
    const work = defineCapability({
      name: 'work',
      params,
      retry: 'verify_first',
      verify: ({ id, count }, { idempotencyKey }) => id.length > count && idempotencyKey !== '',
      run: async ({ id, count }, { run }) => {
        expectTypeOf(id).toEqualTypeOf<string>()
        expectTypeOf(count).toEqualTypeOf<number>()
        return { text: `${id}${count}`, run }
      },
      handleResult: result => {
        expectTypeOf(result).toEqualTypeOf<{ text: string; run: number }>()
        return undefined
      },
      handleFailure: (_failure, _verdict, { params }) => {
        expectTypeOf(params.count).toEqualTypeOf<number>()
        return undefined
      },
    })
    const result = await work.run({ id: 'a', count: 2 }, testContext({ run: 7 }))
    expectTypeOf(result).toEqualTypeOf<{ text: string; run: number }>()
    expect(result).toEqual({ text: 'a2', run: 7 })
    expect(isCapability(work)).toBe(true)
    expect(work).toMatchObject({ kind: 'function', retry: 'verify_first', priority: 0, resumable: false })
  })

  it('must say whether it may run twice, and the error lists the choices', () => {
    // @ts-expect-error retry has no default
    expect(() => defineCapability({ name: 'x', params, run: () => 1 })).toThrow(
      'capability "x": retry is missing; say whether the function may run twice: "none" (never again once it may have taken effect), "replay" (running it twice does no harm), "verify_first" (check first whether the effect is there)',
    )
    // @ts-expect-error the same for a program
    expect(() => commandCapability({ name: 'x', argv: ['true'] })).toThrow(
      'capability "x": retry is missing; say whether the program may run twice',
    )
    expect(httpCapability({ name: 'x', url: 'http://127.0.0.1/' })).toMatchObject({
      retry: 'none',
      atomic: false,
      verification: undefined,
    })
    expect(httpCapability({ name: 'x', url: 'http://127.0.0.1/', method: 'get' }).retry).toBe('replay')
  })

  it('does not compile with an unused verification, or without a required one', () => {
    expect(() =>
      // @ts-expect-error verify needs retry "verify_first"
      defineCapability({ name: 'x', params, retry: 'none', verify: () => true, run: () => 1 }),
    ).toThrow('capability "x": verify needs retry "verify_first"')
    // @ts-expect-error verify_first needs verify
    expect(() => defineCapability({ name: 'x', params, retry: 'verify_first', run: () => 1 })).toThrow(
      'capability "x": retry "verify_first" needs verify',
    )
  })

  it.each<[Record<string, unknown>, string]>([
    [
      { name: 'two words' },
      'name must be a name without spaces or quotes, such as "send-invoice", not "two words"',
    ],
    [{ name: undefined }, 'name must be'],
    [{ retry: 'manual' }, 'retry must be one of none, replay, verify_first, not "manual"'],
    [{ leaseMs: 10 }, 'leaseMs must be a number of milliseconds, at least 1000, not 10'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
    [{ concurrency: 0 }, 'concurrency must be a whole number, 1 or more'],
    [{ priority: 11 }, 'priority must be a whole number from -10 to 10, not 11'],
    [{ provider: 'a', pool: ['b'] }, 'give provider or pool, not both'],
    [{ pool: [] }, 'pool must be the name of a pool, or a list'],
    [{ backoff: 'quick' }, 'backoff must be one of'],
    [{ atomic: 1 }, 'atomic must be true or false, not 1'],
    [{ handleFailure: 'x' }, 'handleFailure must be a function'],
    [{ secrets: ['token'] }, 'secrets names "token", which is not a parameter; known: id, count'],
    [{ params: { id: 'string' } }, 'params must be a zod schema'],
    [{ run: 'x' }, 'run must be a function, not "x"'],
    [{ timeout: 5 }, 'unknown setting timeout: did you mean timeoutMs?'],
    [{ colour: 5 }, 'unknown setting colour; known: name, description'],
    [{ colour: 5 }, 'params, verify, run, resumable'],
  ])('refuses %j and says what would be right', (wrong, message) => {
    const definition = { name: 'x', params, retry: 'none', run: () => 1, ...wrong }
    let thrown: unknown
    try {
      defineCapability(definition as never)
    } catch (error) {
      thrown = error
    }
    expect(isCapabilityError(thrown)).toBe(true)
    expect((thrown as Error).message).toContain(message)
  })

  it('is not accepted just because it looks like one', () => {
    expect(isCapability({ ...defineCapability({ retry: 'none', name: 'x', params, run: () => 1 }) })).toBe(
      false,
    )
    expect(isCapability(null)).toBe(false)
  })
})
