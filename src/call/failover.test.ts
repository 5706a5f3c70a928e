import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'

const overloaded = () => Object.assign(new Error('Overloaded'), { status: 529 })
const tooMany = () => Object.assign(new Error('Too Many Requests'), { status: 429 })

/** Asks a pool whose first provider fails, and says how long that took. */
async function ask(error: () => Error, options: object = {}) {
  const time = new FakeTime()
  const gate = new Health({
    time,
    random: () => 0.5,
    pools: [
      { id: 'eager', providers: ['a', 'b'], failover: 'first', models: { b: 'large' } },
      { id: 'patient', providers: ['a', 'b'] },
    ],
  })
  const work = ({ provider, model }: { provider: string | undefined; model: string | undefined }) => {
    if (provider === 'a') throw error()
    return model
  }
  const { value, provider, attempts } = await time.until(
    call(work, { pool: ['a', 'b'], health: gate, time, random: () => 0.5, ...options }),
  )
  return { value, provider, tries: attempts.length, ms: time.monotonic() }
}

describe('a call whose first provider fails', () => {
  it.each([overloaded, tooMany])(
    'retries there first, unless told to go elsewhere first (%s)',
    async error => {
      expect((await ask(error)).ms).toBeGreaterThan(0)
      expect(await ask(error, { failover: 'first' })).toMatchObject({ provider: 'b', tries: 2, ms: 0 })
    },
  )

  it('takes pools by name, with what they say about failover and models', async () => {
    expect(await ask(overloaded, { pool: 'eager', model: 'small' })).toEqual({
      value: 'large',
      provider: 'b',
      tries: 2,
      ms: 0,
    })
    expect(await ask(overloaded, { pool: 'eager', failover: 'last' })).toMatchObject({ tries: 4 })
    expect(await ask(overloaded, { pool: 'patient', models: { b: 'huge' } })).toMatchObject({ value: 'huge' })
    await expect(ask(overloaded, { pool: 'lazy' })).rejects.toThrow(
      'no pool is called "lazy"; known: eager, patient',
    )
  })

  it('checks what a pool says', () => {
    const pools = [{ id: 'p', providers: ['a'], models: { b: 'm' } }]
    expect(() => new Health({ pools })).toThrow(
      'pool "p", models names "b", which is not one of its providers: a',
    )
    expect(() => new Health({ pools: [{ id: 'p', providers: ['a'], failover: 'never' as 'last' }] })).toThrow(
      'failover must be first or last, not never',
    )
  })
})
