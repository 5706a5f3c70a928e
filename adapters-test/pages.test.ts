import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { asyncLocalStorage, Context } from '@temporalio/activity'
import { describe, expect, it } from 'vitest'
import { snippetsOf } from '../scripts/snippets.ts'
import { TestSchema } from '../test/adapter/conformance/database.ts'
import { testPostgres } from '../test/adapter/conformance/servers.ts'

const folder = join(import.meta.dirname, '.cache')

/** The example of a page, as a module. */
async function example(page: string): Promise<Record<string, never>> {
  const file = join(import.meta.dirname, '..', 'docs', `${page}.md`)
  const code = snippetsOf(file).find(({ language }) => language === 'ts')?.code as string
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${page}.ts`), code)
  return import(/* @vite-ignore */ join(folder, `${page}.ts`))
}

type Work = (data: { prompt: string }) => Promise<string>
const REVIEWED = 'reviewed: the last commit'

describe('the examples of the pages run unchanged', () => {
  it('temporal.md', async () => {
    const { activities } = (await example('temporal')) as unknown as { activities: { review: Work } }
    const perform = (attempt: number, prompt: string) => {
      const info = { activityId: '1', activityType: 'review', attempt, taskQueue: 'q' } as never
      const none = {} as never
      const context = new Context(
        info,
        new Promise<never>(() => {}),
        new AbortController().signal,
        () => {},
        none,
        none,
        none,
      )
      return asyncLocalStorage.run(context, () => activities.review({ prompt }))
    }
    await expect(perform(1, 'the last commit')).rejects.toMatchObject({ nextRetryDelay: expect.any(Number) })
    expect(await perform(2, 'the last commit')).toBe(REVIEWED)
    await expect(perform(1, '')).rejects.toMatchObject({ nonRetryable: true })
  })

  it('inngest.md', async () => {
    const { handler, review } = (await example('inngest')) as unknown as {
      handler: (context: object) => Promise<string>
      review: unknown
    }
    const memory = new Map<string, unknown>()
    const step = {
      run: async (id: string, work: () => Promise<unknown>) => {
        if (!memory.has(id)) memory.set(id, JSON.parse(JSON.stringify(await work())))
        return memory.get(id)
      },
      sleepUntil: async () => {},
    }
    const event = { data: { prompt: 'the last commit' } }
    expect(await handler({ event, step, attempt: 0, runId: 'r' })).toBe(REVIEWED)
    expect(memory.size).toBe(2)
    expect(review).toBeDefined()
  })

  it('workflow-sdk.md', async () => {
    const { review } = (await example('workflow-sdk')) as unknown as { review: Work }
    // There is no step outside the SDK's own runtime.
    await expect(review({ prompt: 'the last commit' })).rejects.toThrow(/step/)
  })

  it('restate.md', async () => {
    const { review, reviews } = (await example('restate')) as unknown as {
      review: (context: object, data: object) => Promise<string>
      reviews: { name: string }
    }
    const memory = new Map<string, unknown>()
    const context = {
      run: async (name: string, work: () => Promise<unknown>) => {
        if (!memory.has(name)) memory.set(name, await work())
        return memory.get(name)
      },
      sleep: async () => {},
      request: () => ({ id: 'i' }),
      date: { now: async () => Date.now() },
    }
    expect(await review(context, { prompt: 'the last commit' })).toBe(REVIEWED)
    await expect(
      review({ ...context, run: async (_name: string, work: () => unknown) => work() }, { prompt: '' }),
    ).rejects.toMatchObject({ name: 'TerminalError' })
    expect(reviews.name).toBe('reviews')
  })

  it('dbos.md', async ({ skip }) => {
    const server = await testPostgres()
    if ('missing' in server) return skip(server.missing)
    const admin = new TestSchema(server.url, 'dbos')
    const database = `mulligan_dbos_${randomUUID().slice(0, 8)}`
    await admin.query(`create database ${database}`)
    const url = new URL(server.url)
    url.pathname = database
    DBOS.setConfig({
      name: 'pages',
      systemDatabaseUrl: url.toString(),
      logLevel: 'error',
      runAdminServer: false,
    } as never)
    const { reviewCommit } = (await example('dbos')) as unknown as { reviewCommit: Work }
    await DBOS.launch()
    try {
      expect(await reviewCommit({ prompt: 'the last commit' })).toBe(REVIEWED)
      await expect(reviewCommit({ prompt: '' })).rejects.toMatchObject({ outcome: { as: 'refused' } })
    } finally {
      await DBOS.shutdown()
      await admin.query(`drop database ${database} with (force)`)
      await server.stop()
    }
  })
})
