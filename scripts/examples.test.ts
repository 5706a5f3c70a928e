import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testRedis } from '../test/adapter/conformance/servers.ts'
import { answer } from '../test/agent/bodies.ts'
import { Stubs } from '../test/agent/stub.ts'
import { BUILT_PACKAGE, BUILT_PACKAGE_COMMAND } from '../test/cli/command.ts'

const root = join(import.meta.dirname, '..')
const examples = join(root, 'examples')
const exec = promisify(execFile)

/** A copy of the examples of a user who installed the packages. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-examples-'))
  cpSync(examples, folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(BUILT_PACKAGE, join(modules, 'mulligan'))
  for (const name of ['zod', 'bullmq', 'ioredis'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
})

const run = async (example: string, env: Record<string, string> = {}) => {
  const options = { cwd: join(folder, example), env: { ...process.env, ...env } }
  return (await exec(process.execPath, ['index.js'], options)).stdout.trim().split('\n')
}

/** Runs the command in an example's folder, with a home and programs of its own. */
async function mulligan(example: string, argv: string[], env: Record<string, string> = {}) {
  const cwd = join(folder, example)
  const own = {
    HOME: folder,
    MULLIGAN_CONFIG: join(cwd, 'mulligan.toml'),
    MULLIGAN_QUEUE_DATA: join(cwd, 'state'),
  }
  return exec(process.execPath, [BUILT_PACKAGE_COMMAND, ...argv], {
    cwd,
    env: { ...process.env, ...own, ...env },
  })
}

describe('the examples', async () => {
  const redis = await testRedis()

  it.each([
    ['model-call', ['openai: Because of Rayleigh scattering.', 'anthropic: billing']],
    ['council', ['2 answered, 1 did not: ship it; one bug in line 3']],
    ['verify-first-mailer', ['done: 1 request, 1 mail']],
    ['teach-an-unknown', ['job 7 waits for label', 'job 8 is tried again in 60 min']],
  ])('%s', async (example, lines) => {
    expect(await run(example)).toEqual(lines)
  })

  if ('missing' in redis) {
    const test = process.env.CI === 'true' ? it : it.skip
    test(`bullmq-worker (${redis.missing})`, () => expect.fail(redis.missing))
  } else {
    afterAll(() => redis.stop())
    it('bullmq-worker', async () => {
      const [good, bad] = await run('bullmq-worker', { REDIS_URL: redis.url })
      expect(good).toBe('done: reviewed: the last commit after 2 calls')
      expect(bad).toMatch(/^failed: prompt is empty .* after 3 calls$/)
    })
  }

  it('agent-in-cron', async () => {
    const stubs = new Stubs()
    stubs.make('claude', answer({ result: 'Labelled 3 issues.' }))
    const path = `${stubs.folder}:${process.env.PATH}`
    const { stdout } = await mulligan('agent-in-cron', ['schedule', 'ls', '--json'])
    expect(JSON.parse(stdout).schedules).toMatchObject([{ name: 'nightly', enabled: true }])
    const ran = await mulligan('agent-in-cron', ['submit', '--now', 'triage', '--json'], { PATH: path })
    expect(ran.stdout).toContain('Labelled 3 issues.')
  })

  it('workflow', async () => {
    const started = await mulligan('workflow', [
      'workflow',
      'start',
      'release',
      '--param',
      'repo=app',
      '--json',
    ])
    expect(JSON.parse(started.stdout)).toMatchObject({ workflow: 'release' })
    expect((await mulligan('workflow', ['workflow', 'graph', 'release'])).stdout).toContain('approve')
  })

  it.each(['mcp-wrap', 'any-agent-by-proxy'])('%s has a valid config', async example => {
    expect((await mulligan(example, ['config', 'check'])).stdout).toContain('is valid')
  })

  it('are all listed', () => {
    const page = readFileSync(join(examples, 'README.md'), 'utf8')
    const folders = readdirSync(examples).filter(name => name !== 'README.md')
    expect(folders.filter(name => !page.includes(`](${name}`))).toEqual([])
  })
})
