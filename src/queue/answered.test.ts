import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, queue, time } from '../../test/work.ts'
import { defineCapability } from '../capability/define.ts'
import type { HookContext } from '../capability/hook.ts'
import { expectEvents } from '../testing/events.ts'
import { problemInWords } from './queue-deps.ts'

eachTest()

const exists = Object.assign(new Error('already exists'), { status: 409 })
const base = {
  params: z.object({ id: z.number() }),
  retry: 'none' as const,
  run: () => Promise.reject(exists),
}

describe('an operation whose failure counts as success', () => {
  it('succeeds with the answer of a hook, and the event names it', async () => {
    const work = defineCapability({
      ...base,
      name: 'create',
      handleFailure: (failure, _verdict, { params }) =>
        failure.status === 409
          ? { succeeded: { id: params.id, wasThere: true }, reason: 'it was there already' }
          : undefined,
    })
    await make({}, { with: [work] })
    expect(await time.until(queue.run('create', { id: 5 }))).toEqual({
      value: { id: 5, wasThere: true },
      operationId: 'op_1',
    })
    const { id } = await queue.submit('create', { id: 6 })
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      result: { id: 6, wasThere: true },
      attempts: 1,
    })
    const data = { by: 'handleFailure of create', reason: 'it was there already' }
    await expectEvents(queue, id, ['submitted', 'claimed', { type: 'succeeded', data }])
    expect(await queue.ledger.attempts(id)).toMatchObject([{ failure: { status: 409 } }])
  })

  it('succeeds with the answer of a policy, in process and in the queue', async () => {
    const policy = {
      name: 'idempotent',
      verdict: () => ({ succeeded: 'there', reason: 'a conflict means that it is there' }),
    }
    await make({}, { with: [defineCapability({ ...base, name: 'create', policy })] })
    expect(await time.until(queue.run('create', { id: 5 }))).toMatchObject({ value: 'there' })
    const { id } = await queue.submit('create', { id: 6 })
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', result: 'there' })
    await expectEvents(queue, id, [
      'submitted',
      'claimed',
      { type: 'succeeded', data: { by: 'policy idempotent' } },
    ])
    expect(await time.until(queue.handOver('create', { id: 7 }, exists))).toMatchObject({ value: 'there' })
  })

  it('may have a result other than what its work returned', async () => {
    const work = defineCapability({
      ...base,
      name: 'count',
      run: () => ({ rows: [1, 2, 3] }),
      handleResult: ({ rows }) => ({ succeeded: rows.length, reason: 'only their number matters' }),
    })
    await make({}, { with: [work] })
    const { id } = await queue.submit('count', { id: 1 })
    await queue.runner().start()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', result: 3 })
  })
})

describe('a hook', () => {
  it('gets the operation and try it is about, and what the operation was submitted with', async () => {
    const seen: HookContext<unknown>[] = []
    let tries = 0
    const work = defineCapability({
      ...base,
      name: 'flaky',
      retry: 'replay',
      run: () => {
        if (++tries < 3) throw Object.assign(new Error('busy'), { status: 503 })
        return 'done'
      },
      handleFailure: (_failure, _verdict, context) => void seen.push(context) as undefined,
      handleResult: (_result, context) => void seen.push(context) as undefined,
    })
    await make({}, { with: [work] })
    const { id } = await queue.submit('flaky', { id: 1 }, { context: { step: 4 }, session: 's-1' })
    await queue.runner().start()
    await ended(id)
    const facts = seen.map(({ operationId, run, attempt, attempts, context, session }) => ({
      operationId,
      run,
      attempt,
      earlier: attempts.length,
      context,
      session,
    }))
    const same = { operationId: id, context: { step: 4 }, session: 's-1' }
    expect(facts).toEqual([
      { ...same, run: 1, attempt: 1, earlier: 0 },
      { ...same, run: 2, attempt: 2, earlier: 1 },
      { ...same, run: 3, attempt: 3, earlier: 2 },
    ])
  })
})

describe('a timeout that depends on the parameters', () => {
  it('aborts a try after the returned time; an invalid value is reported and aborts nothing', async () => {
    const problems: string[] = []
    const work = defineCapability({
      name: 'slow',
      params: z.object({ pages: z.number() }),
      retry: 'none',
      timeoutMs: ({ pages }) => {
        if (pages > 10) throw new Error('too many pages')
        return pages * 1_000
      },
      run: (_params, { remainingMs, signal }) =>
        remainingMs === Infinity
          ? 'no limit'
          : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await make({}, { with: [work], onProblem: problem => void problems.push(problemInWords(problem)) })
    await queue.runner().start()
    const cut = await queue.submit('slow', { pages: 3 })
    expect(await ended(cut.id)).toMatchObject({ state: 'dead', failure: { class: 'timeout' } })
    const [tried] = await queue.ledger.attempts(cut.id)
    expect(tried && tried.endedAt - tried.startedAt).toBe(3_000)
    for (const pages of [0, 11]) {
      const { id } = await queue.submit('slow', { pages })
      expect(await ended(id)).toMatchObject({ state: 'succeeded', result: 'no limit' })
    }
    expect(problems).toEqual([
      'capability "slow": timeoutMs: it must return milliseconds above 0 or undefined, not 0',
      'capability "slow": timeoutMs: it threw Error: too many pages',
    ])
  })
})
