import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeChecked } from '../../test/work.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { waitForEnd } from './wait.ts'
import { Workflows } from './workflows.ts'

const asks = defineWorkflow({ name: 'asks', steps: [{ id: 'q', ask: 'Really?' }] })

let time: FakeTime
let queue: OpenedQueue
let workflows: Workflows
beforeEach(async () => {
  time = new FakeTime()
  ;({ queue } = await testQueue({ time }))
  workflows = new Workflows(queue)
})
afterEach(() => closeChecked(queue))

type Reads = Pick<OpenedQueue['ledger'], 'lastEvent' | 'events'>

describe('waiting for the end of a run', () => {
  it('can be aborted while it starts, without an unhandled rejection', async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown) => unheard.push(error)
    process.on('unhandledRejection', hear)
    const run = await queue.start(asks, {})
    const reads = queue.ledger as Reads
    const real = reads.lastEvent.bind(reads)
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    reads.lastEvent = async () => {
      asked.resolve()
      await answer.promise
      return real()
    }
    const stop = new AbortController()
    const waiting = waitForEnd(queue, run.id, stop.signal).catch(String)
    await asked.promise
    stop.abort(new Error('bye'))
    // An unhandled rejection is reported after the microtasks of this turn.
    await new Promise(resolve => setImmediate(resolve))
    answer.resolve()
    expect(await waiting).toBe('Error: bye')
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
    reads.lastEvent = real
  })

  it('ends for the caller that aborts, and continues for the others', async () => {
    const run = await queue.start(asks, {})
    const stop = new AbortController()
    const gone = waitForEnd(queue, run.id, stop.signal)
    const stays = waitForEnd(queue, run.id)
    stop.abort(new Error('bye'))
    await expect(gone).rejects.toThrow('bye')
    await workflows.advance(run.id, 'q', 1)
    expect((await time.until(stays)).status).toBe('succeeded')
  })

  it('survives a failed read', async () => {
    const run = await queue.start(asks, {})
    const waiting = waitForEnd(queue, run.id)
    await time.advance(0)
    const reads = queue.ledger as Reads
    const real = reads.events.bind(reads)
    let failures = 0
    reads.events = async () => {
      failures++
      reads.events = real
      throw new Error('database is locked')
    }
    await workflows.advance(run.id, 'q', 1)
    expect((await time.until(waiting)).status).toBe('succeeded')
    expect(failures).toBe(1)
  })

  it('rejects for an unknown run', async () => {
    await expect(waitForEnd(queue, 'wf_99')).rejects.toMatchObject({ code: 'missing' })
  })

  it('reads the events once for all callers', async () => {
    const runs = []
    for (let n = 0; n < 20; n++) runs.push(await queue.start(asks, {}))
    const all = runs.map(({ id }) => waitForEnd(queue, id))
    await time.advance(0)
    const reads = queue.ledger as Reads
    const real = reads.events.bind(reads)
    let count = 0
    reads.events = (...given) => {
      count++
      return real(...given)
    }
    await workflows.advance(runs[0]?.id as string, 'q', 1)
    expect((await time.until(all[0] as (typeof all)[0])).status).toBe('succeeded')
    expect(count).toBeLessThan(5)
    for (const { id } of runs.slice(1)) await workflows.advance(id, 'q', 1)
    await time.until(Promise.all(all))
  })
})
