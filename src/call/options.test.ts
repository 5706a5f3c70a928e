import { expect, it } from 'vitest'
import { NodeHealth as Health } from '../process/node-health.ts'
import { call } from './call.ts'
import { council } from './council.ts'
import type { CouncilMember } from './council-options.ts'
import type { CallOptions } from './options.ts'
import { withoutRetries } from './without-retries.ts'

it('accepts undefined for every option, in its types and at run time', async () => {
  const options: { [name in keyof Required<CallOptions>]: undefined } = {
    ...({} as { [name in keyof Required<CallOptions>]: undefined }),
    budgetMs: undefined,
    signal: undefined,
    onEvent: undefined,
  }
  const checked: CallOptions = options
  expect((await call(() => 'fine', checked)).value).toBe('fine')
  await expect(call(({ charge }) => charge({ usd: undefined, tokens: undefined }))).resolves.toMatchObject({
    costUsd: null,
  })
  const member = (name: string): CouncilMember<string> => ({
    name,
    ask: () => name,
    provider: undefined,
    model: undefined,
  })
  await expect(council([member('a'), member('b')], { prompt: 'x', quorum: undefined })).resolves.toBeDefined()
})

it('takes the health of providers as `health`, and by no other name', async () => {
  const refused = Object.assign(new Error('credit balance is too low'), { status: 402 })
  const health = new Health()
  await call(() => Promise.reject(refused), { provider: 'p', health }).catch(() => {})
  expect(await health.status()).toMatchObject([{ id: 'p', admits: false }])
  await expect(call(() => 'fine', { gate: health } as CallOptions)).rejects.toThrow(/unknown option gate/)
})

it('turns off the retries of Google’s client without erasing its other options', () => {
  expect({ httpOptions: { baseUrl: 'http://x', ...withoutRetries.google } }).toEqual({
    httpOptions: { baseUrl: 'http://x', retryOptions: { attempts: 1 } },
  })
})
