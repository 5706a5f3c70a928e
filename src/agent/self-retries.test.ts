import { expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { commandLine } from './arguments.ts'
import { CLIS } from './clis.ts'
import { watchRequests } from './codex-log.ts'
import { RunProgress } from './run-progress.ts'
import { Watch } from './watch.ts'

const argvWith = (files: Record<string, string>, env = {}, options = {}) => {
  const own = { env, home: '/home/me', cwd: '/work/it', readFile: (path: string) => files[path] }
  return commandLine(CLIS.codex, { id: 'codex', cli: 'codex' }, options, {
    prompt: 'p',
    resume: undefined,
    own,
  })
}
const USER = '/home/me/.codex/config.toml'
const LAB = '[model_providers.lab]\nname = "lab"\n'

it("takes over the retries of the provider that codex's own config chooses, also by its profile", () => {
  const plain = argvWith({ [USER]: `model_provider = "lab"\n${LAB}` })
  expect(plain.argv).toContain('model_providers.lab.request_max_retries=0')
  expect(plain.argv).toContain('model_providers.lab.stream_max_retries=2')
  expect(plain.argv.join(' ')).not.toContain('model_provider=')
  const byProfile = argvWith({ [USER]: `profile = "x"\n[profiles.x]\nmodel_provider = "lab"\n${LAB}` })
  expect(byProfile.argv).toContain('model_providers.lab.stream_max_retries=2')
})

it('sets no retries of a provider that the config lacks, or that it is told to ignore', () => {
  expect(argvWith({}).argv.join(' ')).not.toContain('model_providers')
  expect(argvWith({ [USER]: 'model_provider = "gone"' }).argv.join(' ')).not.toContain('model_providers')
  const ignored = argvWith({ [USER]: `model_provider = "lab"\n${LAB}` }, {}, { hermetic: 'full' })
  expect(ignored.argv.join(' ')).not.toContain('model_providers')
})

it('has the requests logged, hidden from the programs that codex runs', () => {
  const { argv, env } = argvWith({})
  expect(env.RUST_LOG).toContain('codex_http_client')
  expect(argv).toContain('shell_environment_policy.exclude=["RUST_LOG"]')
})

it.each([
  ['the user logs', {}, { RUST_LOG: 'info' }],
  ['the user says what programs see', { [USER]: '[shell_environment_policy]\nexclude = ["MY_*"]\n' }, {}],
  ['the project does', { '/work/.codex/config.toml': 'shell_environment_policy.inherit = "core"\n' }, {}],
])('asks for no log where %s', (_what, files, env) => {
  const line = argvWith(files, env)
  expect(line.env).not.toHaveProperty('RUST_LOG')
  expect(line.argv.join(' ')).not.toContain('shell_environment_policy')
})

const SPANS = 'responses.stream_request{transport="responses_http"}: '
const logged = (rest: string, url = 'http://127.0.0.1:1/v1/responses') =>
  `2026-11-18T05:06:46.483844Z DEBUG ${SPANS}codex_http_client::client: Request ${rest.replace('URL', url)}`
const COMPLETED = (status: string, headers = '') =>
  logged(`completed method=POST url=URL status=${status} headers={"x": "1"${headers}} version=HTTP/1.1`)

function watched() {
  const ends: unknown[] = []
  const time = new FakeTime(1_000_000)
  const watch = new Watch({
    time,
    settings: {},
    provider: 'codex',
    classify: { provider: 'codex' },
    end: cause => ends.push(cause),
  })
  const progress = new RunProgress(undefined, { selfRetried: retry => watch.selfRetried(retry) })
  return { ends, watch, time, read: (line: string) => watchRequests(line, progress) }
}

it('ends codex at its third failed request, although it gives no notice', async () => {
  const { ends, read, time } = watched()
  read(COMPLETED('500 Internal Server Error'))
  read(COMPLETED('200 OK'))
  read(COMPLETED('500 Internal Server Error'))
  expect(ends).toEqual([])
  read(logged('failed method=POST url=URL is_timeout=false is_connect=false'))
  await time.advance(1_000)
  expect(ends).toMatchObject([{ class: 'transient' }])
})

it('counts a request and the notice about it once', () => {
  const { ends, read, watch } = watched()
  for (let turn = 0; turn < 2; turn++) {
    read(COMPLETED('500 Internal Server Error'))
    watch.selfRetried({ cause: 'We are currently experiencing high demand' })
  }
  expect(ends).toEqual([])
})

it('does not take the end of another transport for the cause', async () => {
  const { ends, read, watch, time } = watched()
  watch.selfRetried({ cause: { status: 404, message: 'Not Found' }, hasAnotherWay: true })
  for (let request = 0; request < 3; request++) read(COMPLETED('500 Internal Server Error'))
  await time.advance(1_000)
  expect(ends).toMatchObject([{ class: 'transient' }])
})

it('reads from the headers how long codex was told to wait, and ends it if that is long', async () => {
  const { ends, read, time } = watched()
  read(COMPLETED('503 Service Unavailable', ', "retry-after": "7200"'))
  expect(ends).toEqual([])
  await time.advance(1_000)
  expect(ends).toMatchObject([{ class: 'transient', retryAfterMs: 7_200_000 }])
})

it('leaves a refused login to codex, which refreshes it', async () => {
  const { ends, read, time, watch } = watched()
  for (let request = 0; request < 5; request++) read(COMPLETED('401 Unauthorized'))
  await time.advance(1_000)
  expect(watch.waitingOut).toBeNull()
  expect(ends).toEqual([])
})

it('lets codex speak if it works or gives up by itself', async () => {
  const { ends, read, time, watch } = watched()
  read(COMPLETED('429 Too Many Requests', ', "retry-after": "90"'))
  expect(watch.waitingOut).toMatchObject({ class: 'throttle', retryAfterMs: 90_000 })
  watch.worked()
  await time.advance(1_000)
  expect(ends).toEqual([])
})

it("turns off the retries below qwen's own, unless somebody has set its defaults", () => {
  const own = { env: {}, home: '/home/me', readFile: () => undefined }
  const defaults = CLIS.qwen.defaults?.(own)
  expect(defaults).toMatchObject({ variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH' })
  expect(JSON.parse(defaults?.content ?? '')).toEqual({ model: { generationConfig: { maxRetries: 0 } } })
  expect(CLIS.qwen.defaults?.({ ...own, env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/x' } })).toBeUndefined()
  expect(CLIS.qwen.defaults?.({ ...own, readFile: () => '{}' })).toBeUndefined()
})
