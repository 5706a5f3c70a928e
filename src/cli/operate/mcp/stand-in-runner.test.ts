import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenedQueue } from '../../../queue/open.ts'
import type { FakeTime } from '../../../testing/core/fake-time.ts'
import { scriptedCapability } from '../../../testing/scripted.ts'
import { testQueue } from '../../../testing/test-queue.ts'
import { StandInRunner } from './stand-in-runner.ts'

const LOOK_MS = 30_000
let queue: OpenedQueue
let time: FakeTime
let standIn: StandInRunner
const errors: unknown[] = []

const make = (isWanted = true) =>
  new StandInRunner(queue, { concurrency: 2, isWanted, onError: error => errors.push(error), time })
/** Another runner on the same ledger. */
const other = async (label: string) => {
  const { queue: elsewhere } = await testQueue({ ledger: queue.ledger, engine: queue.engine, time })
  const runner = elsewhere.runner({ label })
  await runner.start()
  return runner
}

beforeEach(async () => {
  const { capability } = scriptedCapability({ name: 'work', rest: 'done' })
  ;({ queue, time } = await testQueue({ capabilities: [capability] }))
  standIn = make()
  errors.length = 0
})
afterEach(async () => {
  await standIn.stop({ graceMs: 0 })
  await queue.close()
  expect(errors).toEqual([])
})

describe('a stand-in', () => {
  it('runs due operations while no other runner does', async () => {
    await standIn.start()
    expect(standIn.isRunning).toBe(true)
    const { id } = await queue.submit('work', {})
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
  })

  it('leaves the work to a daemon, and takes over when the daemon is gone', async () => {
    const daemon = await other('host 1')
    await standIn.start()
    expect(standIn.isRunning).toBe(false)
    await daemon.stop()
    await time.advance(2 * LOOK_MS)
    expect(standIn.isRunning).toBe(true)
  })

  it('steps back when a daemon appears, and does not count other stand-ins', async () => {
    await standIn.start()
    const sibling = await other('mcp 7')
    await time.advance(LOOK_MS)
    expect(standIn.isRunning).toBe(true)
    const daemon = await other('host 1')
    await time.advance(LOOK_MS)
    expect(standIn.isRunning).toBe(false)
    await Promise.all([sibling.stop(), daemon.stop()])
  })

  it('runs nothing if not wanted, and nothing after it was stopped', async () => {
    const unwanted = make(false)
    await unwanted.start()
    expect(unwanted.isRunning).toBe(false)
    await standIn.start()
    await standIn.stop({ graceMs: 0 })
    await time.advance(2 * LOOK_MS)
    expect((await queue.ledger.runners()).filter(({ label }) => label?.startsWith('mcp'))).toEqual([])
  })
})
