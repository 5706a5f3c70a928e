import { describe, expect, it } from 'vitest'
import { eachTest, ended, make, now, queue, time } from '../../test/work.ts'
import type { ScriptedOptions } from '../testing/scripted.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { isOperationFailed } from './error.ts'
import { operationToJson } from './operation-json.ts'
import { isHandedOver } from './run-result.ts'

const SECOND = 1_000
const timeout = Object.assign(new Error('still timing out'), { name: 'TimeoutError' })

eachTest()

/** Makes a queue whose `work` always fails. */
const failing = (options: Omit<ScriptedOptions, 'name'> = {}) =>
  make({ script: Array.from({ length: 60 }, () => ({ throws: timeout })), ...options })

/** Lets the queue retry until it gives up. Seconds that it waited, and the retries made while a caller waited. */
const givenUp = async (id: string) => {
  await queue.runner().start()
  const operation = await ended(id)
  const attempts = await queue.ledger.attempts(id)
  const waits = attempts.flatMap(({ run, verdict }, index) =>
    verdict?.action === 'retry' && attempts[index + 1]?.run !== run ? verdict.delayMs / SECOND : [],
  )
  const here = attempts.filter(({ run }) => run === 1).length - 1
  expect(operation).toMatchObject({ state: 'dead', deadAs: 'exhausted', retries: here + waits.length })
  return { waits, here }
}
const throughSubmit = async () => givenUp((await queue.submit('work')).id)
const throughRun = async () => {
  const id = queue.run('work', {}).then(
    ({ operationId }) => operationId,
    (error: unknown) => {
      if (isOperationFailed(error)) return error.operation.id
      throw error
    },
  )
  return givenUp(await time.until(id))
}

describe('an operation that always fails', () => {
  it('is retried by the queue as often and as long through run as through submit', async () => {
    await failing()
    expect(await throughSubmit()).toEqual({ waits: [10, 20, 45, 90, 120], here: 0 })
    expect(await throughRun()).toEqual({ waits: [10, 20, 45, 90, 120], here: 2 })
  })

  it('is retried for 165 s either way if the older queue counts', async () => {
    await failing({ policy: PRESETS.workBuddy })
    expect(await throughSubmit()).toEqual({ waits: [10, 20, 45, 90], here: 0 })
    expect(await throughRun()).toEqual({ waits: [10, 20, 45, 90], here: 1 })
  })

  it('has one count under oban, wherever it is tried', async () => {
    await failing({ policy: PRESETS.oban, backoff: 'fixed10s' })
    expect((await throughSubmit()).waits).toHaveLength(5)
    const { here, waits } = await throughRun()
    expect([here, waits.length]).toEqual([2, 3])
  })

  it.each([
    [0, 0, 0],
    [1, 1, 1],
    [2, 2, 2],
    [7, 2, 7],
  ])(
    'and may be retried %i times is retried %i times while a caller waits and %i times by the queue',
    async (maxRetries, here, later) => {
      await failing({ maxRetries })
      const { waits, here: triedHere } = await throughRun()
      expect([triedHere, waits.length]).toEqual([here, later])
    },
  )

  it('keeps all retries of the queue after tries of its caller', async () => {
    await failing()
    const handed = await queue.handOver('work', {}, timeout, { tries: 9 })
    if (!isHandedOver(handed)) throw new Error('it was not handed over')
    const { operationId: id } = handed
    const json = operationToJson(await now(id), { maxRetries: 5 })
    expect(json).toMatchObject({ retries: 9, waits: 1, remaining_retries: 4 })
    expect((await givenUp(id)).waits).toEqual([10, 20, 45, 90, 120])
  })
})
