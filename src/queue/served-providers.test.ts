import { expect, it } from 'vitest'
import type { Failure } from '../failure/failure.ts'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { ServedProviders } from './served-providers.ts'

const failure = (kind: string): Failure =>
  ({
    class: 'transient',
    kind,
    effect: 'none',
    message: 'no',
    evidence: { rule: 'r' },
    fingerprint: 'f',
  }) as Failure

it('records that a provider serves after a success or a reset, not at the end of a wait or of a short pause', async () => {
  const time = new FakeTime()
  const ledger = await memoryLedger({ time })
  const served = new ServedProviders({
    ledger,
    health: () => health,
    onError: error => expect.unreachable(String(error)),
  })
  const providers = [
    { id: 'a', quota: 'both' },
    { id: 'b', quota: 'both' },
  ]
  const health: Health = new Health({ providers, time, random: () => 0, onEvent: served.onEvent })
  const told = async () => {
    await served.close()
    const events = await ledger.events({ types: ['provider_served'] })
    return events.map(({ data }) => `${data?.provider} by ${data?.by}`)
  }
  const call = async (id: string) =>
    (await health.madeElsewhere(id)) as Awaited<ReturnType<Health['madeElsewhere']>>
  ;(await call('a')).failed(failure('overloaded'), { breaker: 'trip' })
  await time.advance(3_600_000)
  expect(await told()).toEqual([])
  await health.reset('a')
  expect(await told()).toEqual(['a by reset'])
  ;(await call('b')).failed(failure('billing'), { breaker: 'none', blockUntil: 'cleared' })
  await time.advance(1)
  ;(await call('b')).succeeded()
  // A block of a quota is a block of all its providers.
  expect(await told()).toEqual(['a by reset', 'a by success', 'b by success'])
  ;(await call('b')).failed(failure('rate_limit'), { breaker: 'none', blockUntil: time.now() + 1_000 })
  await time.advance(1)
  ;(await call('b')).succeeded()
  expect(await told()).toHaveLength(3)
  await health.dispose()
  await ledger.close()
})
