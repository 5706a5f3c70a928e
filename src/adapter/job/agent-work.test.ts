import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { snippetsOf } from '../../../scripts/snippets.ts'
import { answer, fail, work } from '../../../test/agent/bodies.ts'
import { freshStubs, stubs } from '../../../test/agent/calls.ts'
import type { JobWorker } from './worker.ts'

const root = join(import.meta.dirname, '../../..')

freshStubs()

/** The worker that the page shows, made by the sources. */
async function workerOfPage(): Promise<JobWorker<{ prompt: string }>> {
  const code = snippetsOf(join(root, 'docs/adapters.md')).find(snippet =>
    snippet.code.includes('runAgent'),
  )?.code
  const folder = join(root, '.cache', `agent-page-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const file = join(folder, 'page.ts')
    const ours = `${code}\nexport { worker }\n`
      .replace("'mulligan/agent'", JSON.stringify(join(root, 'src/agent/index.ts')))
      .replace("'mulligan/worker'", JSON.stringify(join(root, 'src/adapter/job/index.ts')))
    writeFileSync(file, ours)
    return (await import(/* @vite-ignore */ file)).worker
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('the agent that the page shows as the work of a job is resumed, and its cost is counted once', async () => {
  // What the CLI reports is the total of the session.
  const overloaded = fail({ api_error_status: 529, result: 'API Error: 529 Overloaded', total_cost_usd: 0.5 })
  stubs.make(
    'claude',
    `if (start === 1) { ${work}; ${overloaded} } else { ${answer({ total_cost_usd: 0.8 })} }`,
  )
  vi.stubEnv('PATH', `${stubs.folder}:${process.env.PATH}`)
  vi.stubEnv('HOME', stubs.folder)
  try {
    const worker = await workerOfPage()
    const job = { engine: 'mine', queue: 'reviews', jobId: '1', job: {} }
    const first = await worker.perform({ ...job, data: { prompt: 'review it' }, starts: 1 })
    expect(first).toMatchObject({
      outcome: { outcome: 'retry', mode: 'resume' },
      record: { costUsd: 0.5, resume: 's-1' },
    })
    const second = await worker.perform({ ...job, data: first.data, starts: 2 })
    expect(second).toMatchObject({ outcome: { outcome: 'done', value: 'All tests pass.' } })
    expect(second.record).toMatchObject({ tries: 2, costUsd: expect.closeTo(0.8) })
    const [begun, resumed] = stubs.starts('claude')
    expect(begun?.args.join(' ')).not.toContain('--resume')
    expect(resumed?.args.join(' ')).toContain('--resume s-1')
    expect(resumed?.input + (resumed?.args.join(' ') ?? '')).toContain('Go on where you stopped.')
  } finally {
    vi.unstubAllEnvs()
  }
})
