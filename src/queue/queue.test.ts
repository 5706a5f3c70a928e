import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Capability, defineCapability } from '../capability/index.ts'
import { FakeTime } from '../testing/fake-time.ts'
import { type OpenedQueue, openQueue } from './open.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-queue-'))
let data: string
let time: FakeTime
let queue: OpenedQueue
const work: { fails: unknown[]; calls: number } = { fails: [], calls: 0 }
const echo = defineCapability({
  name: 'echo',
  params: z.object({ text: z.string() }),
  retry: 'replay',
  run: ({ text }) => {
    work.calls++
    const failure = work.fails.shift()
    if (failure) throw failure
    return text
  },
})

beforeEach(async () => {
  data = folder()
  time = new FakeTime()
  work.fails = []
  work.calls = 0
  queue = await openQueue({ data, time, capabilities: [echo as Capability], random: () => 0 })
})
afterEach(async () => {
  const findings = await queue.ledger.check()
  await queue.close()
  rmSync(data, { recursive: true })
  expect(findings).toEqual([])
})

describe('submit', () => {
  it('is run by a runner, and its result is kept', async () => {
    const { id } = await queue.submit('echo', { text: 'hi' })
    await queue.runner().start()
    const ended = await time.until(queue.wait(id))
    expect(ended).toMatchObject({ state: 'succeeded', result: 'hi', attempts: 1 })
    expect(await queue.result(id)).toMatchObject({ state: 'succeeded', value: 'hi' })
  })
  it('retries with backoff', async () => {
    work.fails = [new Error('connection reset ECONNRESET'), new Error('ECONNRESET')]
    const { id } = await queue.submit('echo', { text: 'hi' })
    await queue.runner().start()
    const start = time.now()
    const ended = await time.until(queue.wait(id))
    expect(ended).toMatchObject({ state: 'succeeded', retries: 2, attempts: 3 })
    expect(time.now() - start).toBeGreaterThan(29_000)
  })
})
describe('run', () => {
  it('runs now', async () => {
    expect(await time.until(queue.run('echo', { text: 'x' }))).toMatchObject({ value: 'x' })
  })
  it('hands over', async () => {
    work.fails = Array.from({ length: 3 }, () => new Error('ECONNRESET'))
    const handed = await time.until(queue.run('echo', { text: 'x' }))
    expect(handed).toMatchObject({ queuedForRetry: true, retryAt: expect.any(Number) })
    const id = (handed as { operationId: string }).operationId
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled', retries: 3, attempts: 3 })
    await queue.runner().start()
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded', run: 2 })
  })
})
