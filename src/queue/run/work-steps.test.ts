import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../../test/work.ts'
import type { WorkContext } from '../../capability/context.ts'
import { defineCapability } from '../../capability/define.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { testQueue } from '../../testing/test-queue.ts'
import type { OpenedQueue } from '../open.ts'

const refusedOnce = () => Object.assign(new Error('503 overloaded'), { status: 503 })

let time: FakeTime
let queue: OpenedQueue
let done: string[]
beforeEach(() => {
  time = new FakeTime()
  done = []
})
afterEach(() => closeChecked(queue))

/** Runs the work as a capability that must not run twice, and returns how its operation ended. */
const run = async (
  work: (context: WorkContext) => Promise<unknown>,
  { retry = 'none' as 'none' | 'replay', params = {} } = {},
) => {
  const capability = defineCapability({
    name: 'work',
    params: z.object({ token: z.string().optional() }),
    secrets: ['token'],
    retry,
    run: (_params, context) => work(context),
  })
  ;({ queue } = await testQueue({ capabilities: [capability as never], time }))
  await queue.runner().start()
  const { id } = await queue.submit('work', params)
  return time.until(queue.wait(id))
}

describe('steps of the work', () => {
  it('that were done are not done again, and return what they returned', async () => {
    let isDown = true
    const operation = await run(
      async ({ step }) => {
        const order = await step('order', () => {
          done.push('order')
          return { number: 7, at: new Date(0) }
        })
        const paid = await step('pay', async () => {
          done.push('pay')
          if (isDown) {
            isDown = false
            throw refusedOnce()
          }
          return order
        })
        await step('tell', () => void done.push('tell'))
        return paid
      },
      { retry: 'replay' },
    )
    expect(done).toEqual(['order', 'pay', 'pay', 'tell'])
    expect(operation).toMatchObject({
      state: 'succeeded',
      result: { number: 7, at: '1970-01-01T00:00:00.000Z' },
    })
    expect((await queue.ledger.rememberedSteps(operation.id)).map(({ step, run }) => [step, run])).toEqual([
      ['order', 1],
      ['pay', 2],
      ['tell', 2],
    ])
  })

  it('that are a single request may be tried again after a refusal, even if the work must not run twice', async () => {
    let isDown = true
    const work =
      (atomic: boolean) =>
      async ({ step }: WorkContext) => {
        await step('order', () => void done.push('order'))
        return step(
          'pay',
          () => {
            done.push('pay')
            if (isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
            return 'paid'
          },
          { atomic },
        )
      }
    const refused = await run(work(false))
    expect(refused).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    await closeChecked(queue)
    done = []
    const again = run(async context => {
      try {
        return await work(true)(context)
      } finally {
        isDown = false
      }
    })
    expect(await again).toMatchObject({ state: 'succeeded', result: 'paid' })
    expect(done).toEqual(['order', 'pay', 'pay'])
  })

  it('say nothing about what the work does besides them', async () => {
    const operation = await run(async ({ step }) => {
      await step('order', () => void done.push('order'), { atomic: true })
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    expect(operation).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
  })

  it('are remembered one after the other or at the same time, across a runner that stops', async () => {
    const operation = await run(
      async ({ step, run: number, signal }) => {
        const part = (id: string) => step(id, () => done.push(id))
        await Promise.all([part('a'), part('b')])
        if (number === 1) {
          void queue.runner().stop()
          throw refusedOnce()
        }
        signal.throwIfAborted()
        return part('c')
      },
      { retry: 'replay' },
    )
    expect(operation.state).toBe('succeeded')
    expect(done).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['is used twice', async ({ step }: WorkContext) => [await step('a', () => 1), await step('a', () => 2)]],
    ['its own name', ({ step }: WorkContext) => step('', () => 1)],
    ['returned more than 1048576 bytes', ({ step }: WorkContext) => step('a', () => 'x'.repeat(2 ** 20))],
    ['returned a secret of this run', ({ step }: WorkContext) => step('a', () => 'it is hunter2-hunter2')],
  ])('are refused if they could not be remembered: %s', async (problem, work) => {
    const operation = await run(work, { params: { token: 'hunter2-hunter2' } })
    expect(operation).toMatchObject({ state: 'dead' })
    const [attempt] = await queue.ledger.attempts(operation.id)
    expect(attempt?.failure).toMatchObject({ class: 'permanent', kind: 'code_bug' })
    expect(attempt?.failure?.message).toContain(problem)
    expect(JSON.stringify(await queue.ledger.rememberedSteps(operation.id))).not.toContain('hunter2')
  })
})
