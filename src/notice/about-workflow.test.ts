import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeChecked } from '../../test/work.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from '../workflow/define.ts'
import { IDLE_AFTER_MS } from '../workflow/workflow-times.ts'
import { Workflows } from '../workflow/workflows.ts'
import { NoticeMaker } from './notice-maker.ts'

const asks = defineWorkflow({
  name: 'asks',
  steps: [{ id: 'approve', ask: 'Really?', timeoutMs: 5_000_000_000 }],
})

let time: FakeTime
let queue: OpenedQueue
let maker: NoticeMaker
beforeEach(async () => {
  time = new FakeTime()
  ;({ queue } = await testQueue({ time, workflows: [asks] }))
  maker = new NoticeMaker({ ledger: queue.ledger, time })
})
afterEach(async () => {
  await maker.stop()
  await closeChecked(queue)
})
const told = async () => {
  await maker.catchUp()
  const { items } = await queue.ledger.notices({ type: 'workflow', expired: true })
  return items.toReversed()
}

describe('notices about workflows', () => {
  it('name the run and the question, and how to answer it', async () => {
    const { id } = await queue.start(asks, {})
    expect(await told()).toMatchObject([
      {
        type: 'workflow',
        disposition: 'actionable',
        priority: 'high',
        title: 'asks waits for an answer: approve',
        body: `${id}\nReally?\nDetails: mulligan workflow show ${id}\nAnswer: mulligan workflow advance ${id} approve --result JSON`,
      },
    ])
  })

  it('quote the question on one line, without secrets, and not without end', async () => {
    const long = defineWorkflow({
      name: 'long',
      steps: [{ id: 'go', ask: 'Use {params.key}?\n{params.text}' }],
    })
    await queue.start(long, { key: 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345', text: 'x'.repeat(5_000) })
    const [notice] = await told()
    const [, question = '', ...rest] = notice?.body.split('\n') ?? []
    expect(question).toMatch(/^Use \S*REDACTED\S* x+$/)
    expect(question).toHaveLength(1_000)
    expect(rest).toHaveLength(2)
  })

  it('report a run without progress once', async () => {
    await queue.start(asks, {})
    await queue.runner().start()
    time.jump(IDLE_AFTER_MS + 1)
    await time.advance(120_000)
    expect((await told()).map(({ title }) => title)).toContain('asks has made no progress for 24 hours')
    time.jump(IDLE_AFTER_MS)
    await time.advance(120_000)
    expect((await told()).filter(({ title }) => title.includes('no progress'))).toHaveLength(1)
  })

  it('are resolved by the answer to their own question, and all by the end of the run', async () => {
    const two = defineWorkflow({
      name: 'two',
      steps: [
        { id: 'one', ask: 'One?' },
        { id: 'other', ask: 'Other?' },
      ],
    })
    const workflows = new Workflows(queue)
    const { id } = await queue.start(two, {})
    const standing = async () => (await told()).map(({ title, resolution }) => [title, resolution])
    await told()
    await workflows.advance(id, 'one', true, { by: 'ann' })
    expect(await standing()).toEqual([
      ['two waits for an answer: one', 'advance by ann'],
      ['two waits for an answer: other', undefined],
    ])
    await workflows.cancel(id)
    expect((await standing()).map(([, resolution]) => resolution !== undefined)).toEqual([true, true])
  })

  it('report a failed run and how to continue; a cancelled run goes to its session only, already read', async () => {
    const workflows = new Workflows(queue)
    const failing = defineWorkflow({
      name: 'failing',
      steps: [{ id: 'approve', ask: 'Really?', timeoutMs: 1_000 }],
    })
    const { id } = await queue.start(failing, {}, { session: 's1' })
    await queue.runner().start()
    await time.advance(2_000)
    expect((await told()).at(-1)).toMatchObject({
      session: 's1',
      disposition: 'actionable',
      title: 'failing failed',
      body: expect.stringContaining(`mulligan workflow retry ${id}`),
    })
    const own = await queue.start(asks, {}, { session: 's1' })
    await workflows.cancel(own.id)
    expect((await told()).at(-1)).toMatchObject({
      session: 's1',
      title: 'asks cancelled',
      readAt: time.now(),
    })
    const others = await queue.start(asks, {})
    await workflows.cancel(others.id)
    expect((await told()).at(-1)).toMatchObject({ title: 'asks waits for an answer: approve' })
  })
})
