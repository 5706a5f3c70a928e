import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { isQueueError, type QueueError } from './error.ts'
import type { OpenedQueue } from './open.ts'
import { Queue } from './queue.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const sent: unknown[] = []
const send = defineCapability({
  name: 'send',
  params: z.object({ to: z.string(), token: z.string().optional() }),
  secrets: ['token'],
  retry: 'replay',
  run: params => {
    sent.push(params)
    return params.to
  },
}) as Capability

let time: FakeTime
let queue: OpenedQueue

beforeEach(async () => {
  time = new FakeTime()
  sent.length = 0
  ;({ queue } = await testQueue({ capabilities: [send], time }))
})
afterEach(() => closeChecked(queue))
const failed = async (work: Promise<unknown>): Promise<QueueError> => {
  const error = await work.then(() => undefined).catch((thrown: unknown) => thrown)
  if (!isQueueError(error)) throw new Error(`no QueueError: ${String(error)}`)
  return error
}

describe('submit', () => {
  it('refuses invalid parameters, and says what is wrong', async () => {
    const error = await failed(queue.submit('send', { to: 1 }))
    expect(error).toMatchObject({ code: 'invalid_params' })
    expect(error.message).toContain('to: ')
  })

  it('refuses an unknown capability, and names the known ones', async () => {
    expect((await failed(queue.submit('sent'))).message).toBe(
      'there is no capability "sent" here; known: send',
    )
  })

  it('seals secrets, and the work gets them in plain text', async () => {
    const { id } = await queue.submit('send', { to: 'a', token: 'hunter2-hunter2' })
    expect(JSON.stringify(await queue.ledger.get(id))).not.toContain('hunter2')
    await queue.runner().start()
    await time.until(queue.wait(id))
    expect(sent).toEqual([{ to: 'a', token: 'hunter2-hunter2' }])
  })

  it('with one key and the same parameters is one operation, even with secrets', async () => {
    const given = { to: 'a', token: 'hunter2-hunter2' }
    const first = await queue.submit('send', given, { key: 'k' })
    expect(await queue.submit('send', given, { key: 'k' })).toMatchObject({ id: first.id, created: false })
    await expect(queue.submit('send', { to: 'b' }, { key: 'k' })).rejects.toMatchObject({
      code: 'key_conflict',
    })
    await expect(
      queue.submit('send', { ...given, token: 'other-secret' }, { key: 'k' }),
    ).rejects.toMatchObject({
      code: 'key_conflict',
    })
  })

  it('of many is one write: all or none', async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ capability: 'send', params: { to: `${n}` } }))
    expect(await queue.submitMany(many)).toHaveLength(500)
    await failed(queue.submitMany([...many, { capability: 'send', params: {} }]))
    expect((await queue.ledger.counts()).total).toBe(500)
  })

  it('knows whether a runner can run it', async () => {
    expect(await queue.hasRunner('send')).toBe(false)
    await queue.runner().start()
    expect(await queue.hasRunner('send')).toBe(true)
  })
})

describe('wait', () => {
  it('resolves for an ended operation, and rejects for a missing one', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    await queue.cancel(id)
    expect(await queue.wait(id)).toMatchObject({ deadAs: 'cancelled' })
    expect(await failed(queue.wait('op_99'))).toMatchObject({ code: 'missing' })
  })

  it('rejects when its signal is aborted, and leaves nothing behind', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    const controller = new AbortController()
    const waiting = queue.wait(id, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(time.pending).toBe(0)
  })
})

describe('result', () => {
  it('is pending, then the value', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    expect(await queue.result(id)).toMatchObject({ state: 'pending' })
    await queue.runner().start()
    await time.until(queue.wait(id))
    expect(await queue.result(id)).toMatchObject({ state: 'succeeded', value: 'a' })
  })

  it('of a dead operation says why', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    await queue.cancel(id)
    const result = await queue.result(id)
    expect(result.state === 'dead' && result.error.message).toContain('cancelled')
  })
})

describe('edit', () => {
  it('changes a waiting operation', async () => {
    const { id } = await queue.submit('send', { to: 'a' }, { at: time.now() + MINUTE })
    await queue.edit(id, { params: { to: 'b' }, priority: 3, at: time.now() })
    expect(await queue.ledger.get(id)).toMatchObject({ params: { to: 'b' }, priority: 3 })
    expect(await failed(queue.edit(id, { params: { to: 5 } }))).toMatchObject({ code: 'invalid_params' })
    await queue.cancel(id)
    expect(await failed(queue.edit(id, { priority: 1 }))).toMatchObject({ code: 'cannot_edit' })
  })

  it('starts a dead operation afresh with other parameters, and never with its old ones', async () => {
    const { id } = await queue.submit('send', { to: 'a' }, { at: time.now() + MINUTE })
    await queue.cancel(id)
    expect(await failed(queue.edit(id, { params: { to: 5 }, revive: true }))).toMatchObject({
      code: 'invalid_params',
    })
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', params: { to: 'a' } })
    await queue.edit(id, { params: { to: 'b' }, revive: true })
    expect(await queue.ledger.get(id)).toMatchObject({
      state: 'scheduled',
      params: { to: 'b' },
      dueAt: time.now(),
    })
  })

  it('that is refused leaves a dead operation dead, although it was to be revived', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    await queue.cancel(id)
    const refused = queue.edit(id, { params: { to: 'b' }, priority: 99, revive: true })
    await expect(refused).rejects.toThrow('priority must be an integer')
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'dead', params: { to: 'a' } })
  })

  it('does not start afresh, unasked, what dies while its new parameters are checked', async () => {
    const done: unknown[] = []
    const checked = Promise.withResolvers<void>()
    const params = z.object({ n: z.number().refine(n => n === 1 || checked.promise.then(() => true)) })
    const run = (given: unknown) => {
      done.push(given)
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    }
    const capabilities = [
      defineCapability({ name: 'pay', retry: 'none', params, run } as never) as Capability,
    ]
    const { queue: own } = await testQueue({ time, capabilities })
    const { id } = await own.submit('pay', { n: 1 })
    const edited = failed(own.edit(id, { params: { n: 2 }, revive: true }))
    await own.runner().start()
    await time.until(own.wait(id))
    checked.resolve()
    expect(await edited).toMatchObject({ code: 'cannot_edit' })
    await time.advance(60_000)
    expect(done).toEqual([{ n: 1 }])
    await closeChecked(own)
  })

  it('of the parameters moves an operation parked for them', async () => {
    const [inserted] = await queue.engine.schedule([{ capability: 'send', params: { to: 5 } }])
    const id = inserted?.id as string
    await queue.runner().start()
    await time.advance(SECOND)
    expect(await queue.ledger.get(id)).toMatchObject({
      state: 'parked',
      parkedFor: 'parameters',
      attempts: 0,
    })
    await queue.edit(id, { params: { to: 'five' } })
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded', result: 'five' })
  })
})

describe('a missing key', () => {
  it('is not waited for any more once the parameters contain another', async () => {
    const { id } = await queue.submit('send', { to: 'a', token: 'env:NOT_SET' })
    await queue.runner().start()
    await time.advance(SECOND)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'secret' })
    await queue.edit(id, { priority: 1 })
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked' })
    await queue.edit(id, { params: { to: 'b', token: 'hunter2-hunter2' } })
    const { at } = (await queue.ledger.timeline(id)).findLast(({ type }) => type === 'edited') ?? {}
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded', result: 'b', endedAt: at })
  })

  it('parks the operation, which continues when the key is available', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-key-'))
    try {
      const theirs = new Secrets({ folder })
      const sealed = theirs.seal(send, { to: 'a', token: 'hunter2-hunter2' })
      const [inserted] = await queue.engine.schedule([{ capability: 'send', params: sealed }])
      const id = inserted?.id as string
      const runner = queue.runner()
      await runner.start()
      await time.advance(SECOND)
      expect(await queue.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'secret' })
      await time.until(runner.stop())
      const { queue: other } = await testQueue({
        capabilities: [send],
        time,
        ledger: queue.ledger,
        secrets: theirs,
        runnerId: 'x',
      })
      await other.runner().start()
      expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
      await Queue.prototype.close.call(other)
      await other.engine.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('bulk changes', () => {
  it('preview exactly what would happen, and then do exactly that', async () => {
    const waiting = await queue.submit('send', { to: 'a' })
    const dead = await queue.submit('send', { to: 'b' })
    const parked = await queue.submit('send', { to: 'c' })
    await queue.cancel(dead.id)
    await queue.engine.park([parked.id], { for: 'label', reason: 'for a test' })
    await queue.submit('send', { to: 'newest' }, { at: time.now() + MINUTE })
    const retry = await queue.preview('retry', { ids: [waiting.id, dead.id, parked.id] })
    expect(retry).toMatchObject({ total: 3, counts: { hastened: 1, revived: 1, unparked: 1 } })
    const cancel = await queue.preview('cancel', { capability: 'send' })
    expect(cancel.counts).toEqual({ cancelled: 3, none: 1 })
    expect(cancel.moves.find(({ id }) => id === dead.id)).toMatchObject({ state: 'dead', outcome: 'none' })
    expect((await queue.ledger.counts()).states).toMatchObject({ scheduled: 2, parked: 1, dead: 1 })
    // What changes between the two is left unchanged, and listed.
    await queue.cancel(parked.id)
    expect(await queue.apply(cancel)).toEqual({ counts: { cancelled: 2 }, left: [parked.id] })
    expect((await queue.ledger.counts()).states).toMatchObject({ dead: 4 })
    const discard = await queue.preview('discard', { state: 'dead' })
    expect(await queue.apply(discard)).toEqual({ counts: { discarded: 4 }, left: [] })
    expect(await queue.ledger.events({ types: ['discarded'] })).toHaveLength(4)
  })

  it('unpark operations that wait for a label, with the reason', async () => {
    const { id } = await queue.submit('send', { to: 'a' })
    await queue.engine.park([id], { for: 'label', reason: 'unknown failure' })
    expect(await queue.unpark({ parkedFor: 'label' }, 'labelled as transient')).toBe(1)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled', reason: 'labelled as transient' })
  })
})

describe('status', () => {
  it('of an empty queue is empty', async () => {
    expect(await queue.status()).toMatchObject({
      retryQueue: { queued: 0 },
      due: 0,
      running: 0,
      dead: 0,
      held: 0,
    })
    expect((await queue.status()).retryQueue).toEqual({ queued: 0 })
  })

  it('counts waiting operations, and says when the next is due', async () => {
    const at = time.now() + 30 * SECOND
    await queue.submit('send', { to: 'a' }, { at })
    const { id } = await queue.submit('send', { to: 'b' }, { at: at + 1 })
    await queue.submit('send', { to: 'c' }, { at: at + 2 })
    await queue.engine.park([id], { for: 'payment', reason: 'no money' })
    const status = await queue.status()
    expect(status.retryQueue).toEqual({ queued: 2, nextRetryAt: at })
    expect(status).toMatchObject({ due: 0, parked: { total: 1, for: { payment: 1 } } })
    await time.advance(31 * SECOND)
    expect(await queue.status()).toMatchObject({ due: 2 })
  })
})

describe('a pause', () => {
  it.each([{ queue: true }, { capability: 'send' }] as const)(
    'of %o stops claims until it is lifted',
    async what => {
      await queue.pause(what)
      const { id } = await queue.submit('send', { to: 'a' })
      await queue.runner().start()
      await time.advance(MINUTE)
      expect(await queue.ledger.get(id)).toMatchObject({ state: 'scheduled', run: 0 })
      await queue.resume(what)
      expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
    },
  )
})
