import { expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { oban } from '../verdict/presets/oban.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'

it('a call with the policy oban is answered at once while its provider is blocked, and no try is made', async () => {
  const time = new FakeTime()
  const gate = new Health({ time })
  let tries = 0
  const work = () => {
    tries++
    throw { status: 429, message: 'usage limit reached', headers: { 'retry-after': '3600' } }
  }
  const options = { provider: 'claude', health: gate, time, policy: oban, maxRetries: 0, random: () => 0 }
  await time.until(call(work, options).catch(() => {}))
  const from = time.now()
  const error = await time.until(
    call(work, { ...options, maxRetries: 20 }).catch((thrown: unknown) => thrown),
  )
  expect((error as CallFailed).verdict).toMatchObject({ action: 'snooze', until: from + 3_600_000 })
  expect({ tries, waitedMs: time.now() - from }).toEqual({ tries: 1, waitedMs: 0 })
})
