import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  eachTest,
  overloaded,
  queue,
  ran,
  refused,
  script,
  time,
  work,
  workflows,
} from '../../test/workflow/scripted.ts'
import { statesOf } from '../../test/workflow/states.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { answerOf } from '../ledger/writing.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { ALL_WORKFLOWS } from './workflow-service.ts'
import { Workflows } from './workflows.ts'

const untilCancelled = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const step = (id: string, after: string[] = [], more: object = {}) => ({
  id,
  run: work,
  params: { step: id },
  after,
  ...more,
})
const twoChains = defineWorkflow({
  name: 'two',
  steps: [step('a'), step('x'), step('b', ['a']), step('y', ['x'])],
})

eachTest()

const started = async (workflow = twoChains) => {
  await queue.runner().start()
  const run = await queue.start(workflow, {})
  await time.advance(0)
  return run
}
const times = (id: string) => ran.filter(each => each === id).length

describe('an aborted run that continues', () => {
  it('runs no dependents of a step that is still failed', async () => {
    script.set('a', [refused])
    script.set('x', [refused])
    const run = await started()
    expect((await run.show()).status).toBe('failed')
    await workflows.retry(run.id, { step: 'x' })
    const view = await time.until(run.wait())
    expect(statesOf(view)).toEqual({ a: 'failed', x: 'succeeded', b: 'skipped', y: 'succeeded' })
    expect(view.run).toMatchObject({ state: 'failed', reason: 'a failed' })
    expect(view.steps[2]).toMatchObject({ reason: 'a failed', record: { cause: 0 } })
    expect(times('b')).toBe(0)
    await workflows.retry(run.id)
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(times('b')).toBe(1)
  })

  it('fails again at once if a skip leaves nothing to run', async () => {
    script.set('a', [refused])
    const run = await started(
      defineWorkflow({ name: 'deploys', steps: [step('a'), step('deploy', ['a']), step('c', ['a'])] }),
    )
    const view = await workflows.skip(run.id, 'c')
    await time.advance(60_000)
    expect(statesOf(view)).toEqual({ a: 'failed', deploy: 'skipped', c: 'skipped' })
    expect(view.status).toBe('failed')
    expect(ran).toEqual(['a'])
  })

  it('runs the steps that only its end had cancelled again, before their dependents', async () => {
    script.set('a', [refused])
    script.set('x', [untilCancelled])
    const run = await started()
    await time.advance(60_000)
    expect(statesOf(await run.show())).toEqual({ a: 'failed', x: 'failed', b: 'skipped', y: 'skipped' })
    await workflows.retry(run.id, { step: 'a' })
    const view = await time.until(run.wait())
    expect(statesOf(view)).toEqual({ a: 'succeeded', x: 'succeeded', b: 'succeeded', y: 'succeeded' })
    expect(ran.slice(2).indexOf('x')).toBeLessThan(ran.slice(2).indexOf('y'))
    // With its existing operation, which remembers its finished steps.
    expect(view.steps[1]?.record).toMatchObject({ operations: 1 })
  })

  it('does not run a step again that its end had cancelled, if that step is skipped or supplied', async () => {
    for (const change of ['skip', 'advance'] as const) {
      ran.length = 0
      script.set('a', [refused])
      script.set('x', [untilCancelled])
      const run = await started()
      await time.advance(60_000)
      if (change === 'skip') await workflows.skip(run.id, 'x')
      else await workflows.advance(run.id, 'x', 'by hand')
      const view = await time.until(run.wait())
      const x = change === 'skip' ? 'skipped' : 'succeeded'
      expect(statesOf(view)).toEqual({ a: 'failed', x, b: 'skipped', y: 'succeeded' })
      expect(times('x')).toBe(1)
    }
  })

  it('runs them again too when one of its operations is revived', async () => {
    script.set('a', [refused])
    script.set('x', [overloaded])
    const run = await started()
    await time.advance(60_000)
    const { steps } = await run.show()
    await queue.retry(steps[0]?.record?.operation as string)
    await time.advance(0)
    const view = await time.until(run.wait())
    expect(statesOf(view)).toEqual({ a: 'succeeded', x: 'succeeded', b: 'succeeded', y: 'succeeded' })
  })

  it('does not continue, nor end again, for an operation that was revived and has died again since', async () => {
    script.set('a', [refused])
    const run = await started()
    await time.advance(60_000)
    const id = (await run.show()).steps[0]?.record?.operation as string
    await queue.ledger.transaction(function* (writes) {
      yield* answerOf(writes.revive(id))
      yield* answerOf(writes.cancel(id, 'not needed'))
    })
    await time.advance(60_000)
    expect((await run.show()).status).toBe('failed')
    expect(await queue.ledger.events({ types: ['workflow_ended'] })).toHaveLength(1)
  })

  it('leaves operations alone that a person cancelled', async () => {
    script.set('x', [overloaded])
    script.set('a', [untilCancelled])
    const aside = defineWorkflow({
      name: 'aside',
      steps: [step('a'), step('x', [], { onFail: 'skip_dependents' }), step('y', ['x'])],
    })
    const run = await started(aside)
    await queue.cancel((await run.show()).steps[1]?.record?.operation as string)
    await time.advance(0)
    await workflows.cancel(run.id)
    await time.advance(60_000)
    await workflows.retry(run.id, { step: 'a' })
    const view = await time.until(run.wait())
    expect(statesOf(view)).toEqual({ a: 'succeeded', x: 'failed', y: 'skipped' })
  })

  it('does not revive an operation if the run ends in the same change', async () => {
    const bad = defineWorkflow({
      name: 'bad',
      steps: [
        step('a'),
        step('s', [], { onFail: 'continue' }),
        // Invalid, which shows only when it starts.
        { id: 'c', run: work, params: { step: '{results.s.nothing}' }, after: ['s'] },
      ],
    })
    script.set('a', [overloaded])
    script.set('s', [refused])
    const run = await started(bad)
    await time.advance(60_000)
    expect(statesOf(await run.show())).toEqual({ a: 'failed', s: 'failed', c: 'failed' })
    expect((await workflows.retry(run.id, { step: 'c' })).status).toBe('failed')
    await time.advance(60_000)
    expect(times('a')).toBe(1)
    await workflows.advance(run.id, 'c', 'by hand')
    expect(statesOf(await time.until(run.wait()))).toEqual({ a: 'succeeded', s: 'failed', c: 'succeeded' })
  })
})

describe('a step skipped because another failed', () => {
  it('lets its dependents run once its result is supplied', async () => {
    script.set('a', [refused])
    const run = await started(
      defineWorkflow({
        name: 'line',
        steps: [step('a', [], { onFail: 'skip_dependents' }), step('b', ['a']), step('c', ['b'])],
      }),
    )
    expect(statesOf(await run.show())).toEqual({ a: 'failed', b: 'skipped', c: 'skipped' })
    await workflows.advance(run.id, 'b', 'by hand')
    expect(statesOf(await time.until(run.wait()))).toEqual({ a: 'failed', b: 'succeeded', c: 'succeeded' })
  })
})

describe('a cancelled run', () => {
  const line = defineWorkflow({ name: 'line', steps: [step('p'), step('q', ['p'])] })

  it('continues if retried before the death of its operation was read', async () => {
    const run = await queue.start(line, {})
    await workflows.cancel(run.id)
    const view = await workflows.retry(run.id)
    expect(statesOf(view)).toEqual({ p: 'ready', q: 'pending' })
    await queue.runner().start()
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['p', 'q'])
  })

  it('continues if retried while its operation is still stopping, once that has stopped', async () => {
    let stop = () => {}
    const slow = (signal: AbortSignal) =>
      new Promise((_, reject) => {
        stop = () => reject(signal.reason)
      })
    script.set('p', [slow])
    const run = await started(line)
    await workflows.cancel(run.id)
    await workflows.retry(run.id)
    expect((await run.show()).steps[0]?.operation).toMatchObject({ state: 'running', cancelRequested: true })
    stop()
    expect((await time.until(run.wait())).status).toBe('succeeded')
    expect(ran).toEqual(['p', 'p', 'q'])
  })
})

describe('a cancelled run whose step is still stopping', () => {
  const untilStopped = { stop: () => {} }
  const stopping = (_params: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => {
      untilStopped.stop = () => reject(signal.reason)
    })
  const capability = (name: string, more: object) =>
    defineCapability({ name, params: z.object({}), run: stopping, ...more } as never) as Capability
  const once = capability('once', { retry: 'none' })
  const checked = capability('checked', { retry: 'verify_first', verify: () => 'unsure' })

  it.each([
    ['is not retried unless somebody accepts that it may happen twice', once, false],
    ['is retried if its effect is checked first', checked, true],
  ])('%s', async (_what, run, isRetried) => {
    await using given = await testQueue({ capabilities: [once, checked], workflows: [ALL_WORKFLOWS] }).then(
      each => Object.assign(each, { [Symbol.asyncDispose]: () => each.queue.close() }),
    )
    const own = new Workflows(given.queue)
    await given.queue.runner().start()
    const begun = await given.queue.start(defineWorkflow({ name: 'w', steps: [{ id: 's', run }] }), {})
    await given.time.advance(0)
    await own.cancel(begun.id)
    const retried = own.retry(begun.id).then(
      () => true,
      (error: { code?: string }) => error.code,
    )
    expect(await retried).toBe(isRetried || 'may_repeat')
    expect(await own.retry(begun.id, { mayRepeat: true })).toMatchObject({ status: 'running' })
    untilStopped.stop()
  })
})

describe('a dead operation whose end was not read yet', () => {
  it('runs again when its step is retried', async () => {
    const run = await queue.start(twoChains, {})
    await queue.cancel((await run.show()).steps[0]?.record?.operation as string)
    const view = await workflows.retry(run.id, { step: 'a' })
    expect(view.steps[0]?.operation).toMatchObject({ state: 'scheduled' })
    await queue.runner().start()
    expect((await time.until(run.wait())).status).toBe('succeeded')
  })
})
