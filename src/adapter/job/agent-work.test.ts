import { expect, it } from 'vitest'
import { sessionFrom } from '../../agent/resume.ts'
import { runAgent } from '../../agent/run-agent.ts'
import { answer, fail, work } from '../../agent/test-bodies.ts'
import { agent, freshStubs, stubs } from '../../agent/test-calls.ts'
import { defineWorker } from './worker.ts'

freshStubs()

it('an agent as the work of a job is resumed, and its cost is counted once', async () => {
  // What the CLI reports is the total of the session.
  const overloaded = fail({ api_error_status: 529, result: 'API Error: 529 Overloaded', total_cost_usd: 0.5 })
  const claude = agent(
    'claude',
    `if (start === 1) { ${work}; ${overloaded} } else { ${answer({ total_cost_usd: 0.8 })} }`,
  )
  const worker = defineWorker({
    name: 'review',
    retry: 'none',
    resumable: true,
    run: async ({ prompt }: { prompt: string }, { resume, signal, charge }) => {
      const outcome = await runAgent(
        claude,
        resume ? { prompt: 'Go on.', session: sessionFrom(claude, resume) } : { prompt },
        { signal },
      )
      if (!outcome.ok) return outcome
      charge({ usd: outcome.costUsd ?? 0 })
      return outcome.text
    },
  })
  const job = { engine: 'mine', queue: 'reviews', jobId: '1', job: {} }
  const first = await worker.perform({ ...job, data: { prompt: 'review it' }, starts: 1 })
  expect(first).toMatchObject({
    outcome: { outcome: 'retry', mode: 'resume' },
    record: { costUsd: 0.5, resume: 's-1' },
  })
  const second = await worker.perform({ ...job, data: first.data, starts: 2 })
  expect(second).toMatchObject({ outcome: { outcome: 'done', value: 'All tests pass.' } })
  expect(second.record).toMatchObject({ tries: 2, costUsd: expect.closeTo(0.8) })
  expect(stubs.starts('claude')[1]?.args?.join(' ')).toContain('--resume s-1')
})
