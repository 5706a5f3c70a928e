// A user's program that has installed @mulligan/core and nothing else. scripts/pack-check.ts compiles and runs it.
import { call, classify, council, decide, Health } from '@mulligan/core'
import * as calls from '@mulligan/core/call'
import * as failure from '@mulligan/core/failure'
import * as provider from '@mulligan/core/provider'
import { FakeTime, scriptedCall } from '@mulligan/core/testing'
import * as verdict from '@mulligan/core/verdict'

export const found = classify({ status: 529, headers: {}, body: { error: { type: 'overloaded_error' } } })
export const decided = found && decide(found)
export const health = new Health({ providers: [{ id: 'a' }] })
const script = scriptedCall([{ fails: 'overloaded' }, { ok: 42 }])
export const time = new FakeTime()
export const answered = await time.until(
  call(script, { pool: ['a', 'b'], health: new Health({ time }), time }),
)
export const asked = await council(
  [
    { name: 'a', ask: () => 'yes' },
    { name: 'b', ask: () => 'no' },
  ],
  { prompt: 'well?' },
)
export const namespaces = { calls, failure, provider, verdict }

if (found?.kind !== 'overloaded' || decided?.action !== 'retry')
  throw new Error('classify or decide is wrong')
if (answered.value !== 42 || asked.successes.length !== 2) throw new Error('call or council is wrong')
