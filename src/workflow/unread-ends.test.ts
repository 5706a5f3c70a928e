import { describe, expect, it } from 'vitest'
import { eachTest, queue, ran, script, time, work, workflows } from '../../test/workflow/scripted.ts'
import { statesOf } from '../../test/workflow/states.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { defineWorkflow } from './define.ts'
import { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { writeProgress } from './write.ts'

const chain = defineWorkflow({
  name: 'chain',
  steps: [
    { id: 'p', run: work, params: { step: 'p' } },
    { id: 'q', run: work, params: { step: 'q' }, after: ['p'] },
  ],
})
const limited = defineWorkflow({
  name: 'limited',
  steps: [{ id: 's', run: work, params: { step: 's' }, timeoutMs: 1_000 }],
})

eachTest()

/** Replaces a read of the ledger; returns a function that restores it. */
function replaceRead(by: (real: OpenedQueue['ledger']['stepsOfOperations']) => typeof real): () => void {
  const ledger = queue.ledger as { stepsOfOperations: OpenedQueue['ledger']['stepsOfOperations'] }
  const real = ledger.stepsOfOperations.bind(ledger)
  ledger.stepsOfOperations = by(real)
  return () => {
    ledger.stepsOfOperations = real
  }
}

describe('a run whose last end is not read yet', () => {
  it('is running, and not blocked', async () => {
    const restore = replaceRead(() => () => Promise.reject(new Error('database is locked')))
    await queue.runner().start()
    const run = await queue.start(chain, {})
    await time.advance(1_000)
    const view = await run.show()
    expect(statesOf(view)).toMatchObject({ p: 'succeeded' })
    expect(view.status).toBe('running')
    restore()
    expect((await time.until(run.wait())).status).toBe('succeeded')
  })
})

describe('an operation that succeeded', () => {
  it('succeeded in time, even if that is read after the deadline of its step', async () => {
    const restore = replaceRead(() => () => Promise.reject(new Error('database is locked')))
    await queue.runner().start()
    const run = await queue.start(limited, {})
    await time.advance(10_000)
    expect(statesOf(await run.show())).toEqual({ s: 'succeeded' })
    expect((await run.show()).run.state).toBe('running')
    restore()
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['s'])
  })

  it('does not run again when its step is retried: the step takes its result', async () => {
    const restore = replaceRead(() => () => Promise.reject(new Error('database is locked')))
    script.set('s', [() => 'charged'])
    await queue.runner().start()
    const run = await queue.start(limited, {})
    await time.advance(0)
    // As if it had timed out at the moment it succeeded.
    const progress = new Progress((await run.show()).run, new Graph(limited.plan))
    progress.fail(0, 'timed out')
    await queue.ledger.transaction(writes => writeProgress(writes, progress))
    restore()
    const view = await workflows.retry(run.id)
    expect([view.status, (await run.result('s'))?.result, ran]).toEqual(['succeeded', 'charged', ['s']])
  })
})

describe('the end of an operation', () => {
  it('settles nothing if its step has another operation by then', async () => {
    let done = () => {}
    script.set('p', [() => 'first', () => new Promise(resolve => (done = () => resolve('second')))])
    const run = await queue.start(chain, {})
    let isRaced = false
    replaceRead(real => async operations => {
      const found = await real(operations)
      if (!isRaced && found.some(({ standing }) => standing.state === 'succeeded')) {
        isRaced = true
        await workflows.retry(run.id, { step: 'p', from: true })
      }
      return found
    })
    await queue.runner().start()
    await time.advance(10)
    expect(statesOf(await run.show())).toEqual({ p: 'running', q: 'pending' })
    done()
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect((await run.result('p'))?.result).toBe('second')
    expect(ran).toEqual(['p', 'p', 'q'])
  })
})

describe('a key reserved for a step', () => {
  it('is refused to everything but workflows', async () => {
    await expect(queue.submit('work', { step: 'z' }, { key: 'wf_1/q/2' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('wf_1/q/2'),
    })
    await queue.submit('work', { step: 'z' }, { key: 'wf_1' })
  })

  it('if taken, stops only the run that needs it', async () => {
    await queue.submit('work', { step: 'z' }, { key: 'wf_1/q/2', source: 'workflow' })
    await queue.runner().start()
    const first = await queue.start(chain, {})
    const second = await queue.start(chain, {})
    expect((await time.until(second.wait())).status).toBe('succeeded')
    const view = await time.until(first.wait())
    expect(statesOf(view)).toEqual({ p: 'succeeded', q: 'failed' })
    expect(view.run.reason).toContain('the key "wf_1/q/2" of work belongs to op_1')
  })

  it('if taken, does not stop other runs from timing out', async () => {
    const asks = defineWorkflow({
      name: 'asks',
      steps: [
        { id: 'p', ask: 'Really?', timeoutMs: 1_000, onFail: 'continue' },
        { id: 'q', run: work, params: { step: 'q' }, after: ['p'] },
      ],
    })
    await queue.submit('work', { step: 'z' }, { key: 'wf_1/q/2', source: 'workflow' })
    await queue.runner().start()
    const first = await queue.start(asks, {})
    const second = await queue.start(asks, {})
    expect(statesOf(await time.until(second.wait()))).toEqual({ p: 'failed', q: 'succeeded' })
    expect(statesOf(await time.until(first.wait()))).toEqual({ p: 'failed', q: 'failed' })
  })
})
