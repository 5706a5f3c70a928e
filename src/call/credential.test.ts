import { afterEach, describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import { council } from './council.ts'
import { processHealth } from './process-health.ts'

const http = (status: number, message: string) => Object.assign(new Error(message), { status, headers: {} })
const loggedOut = () => http(401, 'invalid x-api-key')

afterEach(() => processHealth.reset('vendor'))

describe('a refused login', () => {
  it('of one tenant does not affect others, in a process without any setup', async () => {
    const ask = (tenant: string) =>
      call(
        () => {
          if (tenant === 'one') throw loggedOut()
          return 'answer'
        },
        { provider: 'vendor', credential: tenant },
      )
    await expect(ask('one')).rejects.toMatchObject({ failure: { kind: 'auth' }, attempts: [{}] })
    expect((await ask('two')).value).toBe('answer')
    const again = (await ask('one').catch((error: unknown) => error)) as CallFailed
    expect(again).toMatchObject({ failure: { class: 'permanent', kind: 'auth' }, attempts: [] })
    expect(again.failure.message).toMatch(/^not tried: blocked since \d\d:\d\d UTC: .*invalid x-api-key/)
  })

  it('with an unknown credential fails over, and is tried again soon', async () => {
    const time = new FakeTime()
    const gate = new Health({ time, random: () => 0 })
    const tried: string[] = []
    const ask = () =>
      call(
        ({ provider }) => {
          tried.push(provider as string)
          if (provider === 'a') throw loggedOut()
          return provider
        },
        { pool: ['a', 'b'], health: gate, time },
      )
    for (let i = 0; i < 3; i++) {
      expect((await ask()).value).toBe('b')
      await time.advance(20_000)
    }
    // Blocked for half a minute, then for a minute.
    expect(tried).toEqual(['a', 'b', 'b', 'a', 'b'])
  })

  it('must be identified by a string, which is never shown', () => {
    const wrong = { key: 'sk-secret' } as unknown as string
    return expect(call(() => 1, { credential: wrong })).rejects.toThrow(
      'call: credential must be a string that identifies the key or login, not a value of type object',
    )
  })
})

describe('a forbidden resource', () => {
  it('is refused to the caller who asked for it, and does not affect other resources', async () => {
    const read = (document: number) =>
      call(
        () => {
          if (document === 7) throw http(403, 'You do not have permission to read document 7')
          return `document ${document}`
        },
        { pool: ['vendor', 'other'] },
      )
    for (let i = 0; i < 5; i++)
      await expect(read(7)).rejects.toMatchObject({
        failure: { kind: 'forbidden', scope: 'resource' },
        verdict: { action: 'cancel', as: 'refused' },
        attempts: [{ provider: 'vendor' }],
      })
    expect(await read(8)).toMatchObject({ value: 'document 8', provider: 'vendor' })
  })
})

describe('the health of the process', () => {
  it('can be read, paused and reset', async () => {
    const fails = () =>
      call(
        () => {
          throw http(402, 'Your credit balance is too low')
        },
        { provider: 'vendor' },
      )
    await expect(fails()).rejects.toMatchObject({ failure: { kind: 'billing' } })
    const status = async () => (await processHealth.status()).find(({ id }) => id === 'vendor')
    expect(await status()).toMatchObject({ admits: false, blocks: [{ failure: { kind: 'billing' } }] })
    await processHealth.reset('vendor')
    expect(await status()).toMatchObject({ admits: true, blocks: [] })
    await processHealth.pause('vendor', 'audit')
    await expect(call(() => 1, { provider: 'vendor', budgetMs: 50 })).rejects.toThrow(
      'not tried: vendor: paused by a person: audit',
    )
    await processHealth.resume('vendor')
    expect((await call(() => 1, { provider: 'vendor' })).value).toBe(1)
  })
})

describe('a council', () => {
  it('whose members use one provider with two keys hears one although the other is refused', async () => {
    const gate = new Health()
    const ask = (name: string) => ({
      name,
      provider: 'vendor',
      credential: name,
      ask: () => {
        if (name === 'one') throw loggedOut()
        return name
      },
    })
    const options = { prompt: 'which?', quorum: 2, health: gate }
    const twice = async () => {
      const members = [ask('one'), ask('two'), ask('three')]
      const { successes } = await council(members, options)
      return successes.map(({ value }) => value)
    }
    expect(await twice()).toEqual(['two', 'three'])
    expect(await twice()).toEqual(['two', 'three'])
  })
})

it.each(['', 5])(
  'a credential that is wrong is a bug of the caller, and is not shown: %j',
  async credential => {
    const error: unknown = await call(() => 1, { credential: credential as string }).catch(error => error)
    expect(classify(error)).toMatchObject({ class: 'permanent', kind: 'code_bug' })
    expect(String(error)).not.toContain('5')
  },
)
