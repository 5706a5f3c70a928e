import { expect, it } from 'vitest'
import type { Connection } from './connection.ts'
import { ToldAgain } from './told-again.ts'

it('repeats the last log level and the open subscriptions after a restart', async () => {
  const told = new ToldAgain()
  const taken = (method: string, params: Record<string, unknown>) =>
    told.taken({ type: 'request', id: 1, method, params })
  taken('logging/setLevel', { level: 'error' })
  taken('logging/setLevel', { level: 'debug' })
  taken('resources/subscribe', { uri: 'a://left' })
  taken('resources/subscribe', { uri: 'a://stays' })
  taken('resources/unsubscribe', { uri: 'a://left' })
  taken('prompts/get', { name: 'of no interest' })
  const asked: unknown[] = []
  const ask = async (method: string, params?: unknown) => void asked.push([method, params])
  await told.renew({ ask } as unknown as Connection)
  expect(asked).toEqual([
    ['logging/setLevel', { level: 'debug' }],
    ['resources/subscribe', { uri: 'a://stays' }],
  ])
})
