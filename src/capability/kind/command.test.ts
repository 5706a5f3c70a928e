import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testContext } from '../../../test/capability/context.ts'
import { classify } from '../../failure/classify.ts'
import { verify } from '../verify.ts'
import { runWork, workFailure } from '../work.ts'
import { isWorkFailed, type WorkFailed } from '../work-failed.ts'
import { type CommandDefinition, commandCapability } from './command-capability.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mulligan-command-')))
afterAll(() => rmSync(folder, { recursive: true }))

const node = process.execPath
/** A program that prints its arguments, and what else a test wants to see. */
const show = (expression: string) => [node, '-e', `process.stdout.write(JSON.stringify(${expression}))`]

function command(definition: Partial<CommandDefinition> & { argv: readonly string[] }) {
  return commandCapability({ name: 'cmd', retry: 'none', ...definition })
}

describe('a command', () => {
  it('gets its parameters as words, with any content: there is no shell', async () => {
    const work = command({
      argv: [
        ...show('process.argv.slice(1)'),
        '--',
        '{text}',
        'n={n}',
        '{{text}}',
        '--at={later}',
        '{later}',
      ],
      params: { text: {}, n: { type: 'integer' }, later: { required: false } },
      output: 'json',
    })
    const text = '$(rm -rf /) "; `x` \n *'
    expect(await work.run({ text, n: 5 }, testContext())).toEqual([text, 'n=5', '{text}'])
  })

  it('gets variables, stdin, folder, and what it needs to avoid doing things twice', async () => {
    const work = command({
      argv: [
        node,
        '-e',
        `const text = require('node:fs').readFileSync(0, 'utf8')
         const { KEY, TOKEN, OTHER, MULLIGAN_SECRET_KEY = null, MULLIGAN_IDEMPOTENCY_KEY, MULLIGAN_RUN } = process.env
         console.log(JSON.stringify([text, KEY, TOKEN, OTHER, MULLIGAN_SECRET_KEY, MULLIGAN_IDEMPOTENCY_KEY, MULLIGAN_RUN, process.cwd()]))`,
      ],
      env: { KEY: 'k-{id}', TOKEN: 'env:SOURCE' },
      stdin: 'hello {id}',
      cwd: '.',
      base: folder,
      params: { id: { secret: true } },
      output: 'json',
    })
    const env = { SOURCE: 'from outside', OTHER: 'inherited', MULLIGAN_SECRET_KEY: 'never given on' }
    const context = testContext({ env, idempotencyKey: 'op-9', run: 3 })
    expect(await work.run({ id: 'x' }, context)).toEqual([
      'hello x',
      'k-x',
      'from outside',
      'inherited',
      null,
      'op-9',
      '3',
      folder,
    ])
    expect(work.variables).toEqual(['SOURCE'])
  })

  it('inherits no more than it is allowed to', async () => {
    const context = testContext({ env: { ONE: '1', TWO: '2' } })
    const argv = show('[process.env.ONE ?? null, process.env.TWO ?? null]')
    expect(await command({ argv, inheritEnv: ['ONE'], output: 'json' }).run({}, context)).toEqual(['1', null])
    expect(await command({ argv, inheritEnv: false, output: 'json' }).run({}, context)).toEqual([null, null])
  })

  it('returns what it printed, without the last line break', async () => {
    expect(await command({ argv: [node, '-e', 'console.log("a\\nb")'] }).run({}, testContext())).toBe('a\nb')
  })

  it('that fails keeps its whole result, and is classified by it', async () => {
    const work = command({ argv: [node, '-e', 'console.error("429 Too Many Requests"); process.exit(3)'] })
    const error = await work.run({}, testContext()).catch((thrown: unknown) => thrown)
    expect(isWorkFailed(error)).toBe(true)
    const named = Object.assign(new Error('x'), {
      name: 'WorkFailed',
      input: { status: 401, refused: 'by status' },
    })
    expect(isWorkFailed(named)).toBe(false)
    expect((error as WorkFailed).input).toMatchObject({ exitCode: 3, stderr: '429 Too Many Requests\n' })
    const direct = classify((error as WorkFailed).input)
    expect(direct).toMatchObject({ class: 'throttle', kind: 'rate_limit', exitCode: 3 })
    // Also for code that only sees the error.
    expect(classify(error)).toMatchObject({ class: 'throttle', kind: 'rate_limit', exitCode: 3 })
    expect(workFailure({ ended: 'threw', error }, {})).toEqual(direct)
  })

  it('that prints no JSON although it should fails with that', async () => {
    const outcome = await runWork(command({ argv: [node, '-e', ''], output: 'json' }), {}, testContext())
    expect(workFailure(outcome, {})).toMatchObject({ class: 'transient', kind: 'bad_json', effect: 'maybe' })
  })

  it('that cannot be started fails with that', async () => {
    const outcome = await runWork(command({ argv: ['/no/such/program'] }), {}, testContext())
    expect(workFailure(outcome, {})).toMatchObject({ kind: 'binary_not_found', effect: 'none' })
  })

  it('is ended with its tree at the deadline, and keeps what it had printed', async () => {
    const work = command({
      argv: [node, '-e', 'console.log("begun"); setInterval(() => {}, 1e6)'],
      timeoutMs: 300,
    })
    const outcome = await runWork(work, {}, testContext())
    expect(outcome).toMatchObject({ ended: 'timedOut', isStillRunning: false })
    expect((outcome as { error: WorkFailed }).error.input).toMatchObject({ signal: 'SIGTERM' })
    expect(workFailure(outcome, {})).toMatchObject({ class: 'timeout', effect: 'maybe' })
  })

  it.each<[Partial<CommandDefinition> & { argv: readonly string[] }, string]>([
    [{ argv: [] }, 'argv must be a list of the program and its arguments, not []'],
    [{ argv: ['{program}'], params: { program: {} } }, 'argv[0] must name the program itself'],
    [{ argv: ['git', '{branch}'] }, '"{branch}" names the unknown parameter {branch}; it has no parameters'],
    [{ argv: ['x', '--t={t}'], params: { t: { secret: true } } }, 'the secret {t} is in argv'],
    [{ argv: ['x'], params: { 'two words': {} } }, '"two words" is not a valid parameter name'],
    [
      { argv: ['x'], params: { a: { type: 'date' as never } } },
      'type of parameter a must be one of string, integer',
    ],
    [{ argv: ['x'], retry: 'verify_first', verify: {} }, 'verify needs one of check, command or http'],
  ])('%j is refused', (definition, message) => {
    expect(() => command(definition)).toThrow(message)
  })

  it.each<[readonly string[], unknown, string[]]>([
    [
      ['git', 'clone', '{url}'],
      '--upload-pack=x',
      [
        'url: begins with "-" and would be read as an option; put "--" before it in argv, or join them as in "--name={url}"',
      ],
    ],
    [['git', 'clone', '--', '{url}'], '--upload-pack=x', []],
    [['git', 'clone', '--from={url}'], '-x', []],
    [['git', 'clone', '{url}'], 'https://x', []],
    [['git', 'clone', 'x{url}'], 'a\0b', ['url: contains a NUL character']],
  ])('%j does not take %j: %j', (argv, url, problems) => {
    expect(command({ argv, params: { url: {} } }).problems({ url })).toEqual(problems)
  })

  it('does not run with invalid parameters, for any caller', async () => {
    const work = command({ argv: [node, '{file}'], params: { file: {} } })
    const outcome = await runWork(work, { file: '--eval=process.exit(0)' }, testContext())
    expect(workFailure(outcome, {})).toMatchObject({ kind: 'invalid_request', effect: 'none' })
  })
})

describe('a verification by command', () => {
  const work = commandCapability({
    name: 'cmd',
    argv: ['true'],
    params: { code: { type: 'integer' } },
    retry: 'verify_first',
    verify: {
      command: {
        argv: [
          node,
          '-e',
          'console.log("[5]"); console.error("odd"); process.exit(+process.argv[1])',
          '{code}',
        ],
      },
      value: 'json',
    },
  })

  it.each<[number, unknown]>([
    [0, { state: 'done', value: [5] }],
    [1, { state: 'absent' }],
    [2, { state: 'unsure', reason: `${node} ended with exit code 2, where 0 means done and 1 absent: odd` }],
  ])('with exit code %i', async (code, wanted) => {
    expect(await verify(work, { code }, testContext())).toEqual(wanted)
  })

  it('that does not exist is unsure', async () => {
    const lost = commandCapability({
      name: 'cmd',
      argv: ['true'],
      retry: 'verify_first',
      verify: { command: { argv: ['/no/such/program'] } },
    })
    expect(await verify(lost, {}, testContext())).toMatchObject({
      state: 'unsure',
      reason: expect.stringContaining('ENOENT'),
    })
  })
})
