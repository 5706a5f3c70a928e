import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { promisedLines, snippetsOf } from '../../scripts/snippets.ts'
import { TestSchema } from '../../test/adapter/conformance/database.ts'
import { type TestServer, testPostgres, testRedis } from '../../test/adapter/conformance/servers.ts'
import { BUILT_PACKAGE } from '../../test/cli/command.ts'

const root = join(import.meta.dirname, '../..')
/** A user's folder, with the built package installed. */
const folder = join(root, '.cache', 'pages')
const run = promisify(execFile)

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(BUILT_PACKAGE, join(folder, 'node_modules', 'mulligan'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the example of a page. */
async function runExample(page: string, env: Record<string, string>): Promise<void> {
  const example = snippetsOf(join(root, 'docs', `${page}.md`)).find(({ language }) => language === 'ts')
  const code = example?.code ?? ''
  const file = join(folder, `${page}.js`)
  writeFileSync(file, stripTypeScriptTypes(code))
  const { stdout } = await run(process.execPath, [file], { cwd: root, env: { ...process.env, ...env } })
  expect(stdout.trimEnd().split('\n')).toEqual(promisedLines(code))
}

function example(page: string, server: TestServer, env: (url: string) => Record<string, string>): void {
  if ('missing' in server) {
    const test = process.env.CI === 'true' ? it : it.skip
    test(`${page}.md (${server.missing})`, () => expect.fail(server.missing))
  } else
    it(`${page}.md`, async () => {
      await runExample(page, env(server.url))
    })
}

describe('the examples of the pages run unchanged', async () => {
  const redis = await testRedis()
  const postgres = await testPostgres()
  const schema = new TestSchema('url' in postgres ? postgres.url : '', 'pages')
  const inSchema = (variable: string) => (url: string) => ({ DATABASE_URL: url, [variable]: schema.name })
  const alone = 'url' in postgres ? await TestSchema.alone(postgres.url, 'pages') : undefined
  afterAll(async () => {
    await alone?.drop()
    if ('url' in postgres) {
      await schema.drop()
      await postgres.stop()
    }
    if ('url' in redis) await redis.stop()
  })

  example('bullmq', redis, url => ({ REDIS_URL: url }))
  example('pg-boss', postgres, inSchema('PGBOSS_SCHEMA'))
  example('graphile-worker', postgres, () => ({ DATABASE_URL: alone?.connectionString ?? '' }))
})
