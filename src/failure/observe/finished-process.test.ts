import { exec, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const PROMPT = "fix the rate limit: 429 Too Many Requests, 'insufficient credits'"
const LIMIT = "You've hit your usage limit. Try again in 2h.\n"

/** As zx gives it: everything on the prototype, and a message that repeats the streams. */
class ProcessOutput extends Error {
  readonly #end: { code: number | null; signal: string | null; stdout: string; stderr: string }
  constructor(end: { code: number | null; signal: string | null; stdout: string; stderr: string }) {
    super(`${end.stderr}\n    at file:///srv/run.mjs:3:8\n    exit code: ${end.code}`)
    this.#end = end
  }
  get exitCode() {
    return this.#end.code
  }
  get signal() {
    return this.#end.signal
  }
  get stdout() {
    return this.#end.stdout
  }
  get stderr() {
    return this.#end.stderr
  }
}

const execa = (more: object) =>
  Object.assign(new Error(`Command failed with exit code 1: claude -p "${PROMPT}"`), {
    name: 'ExecaError',
    shortMessage: `Command failed with exit code 1: claude -p "${PROMPT}"`,
    command: `claude -p "${PROMPT}"`,
    escapedCommand: `claude -p "${PROMPT}"`,
    failed: true,
    timedOut: false,
    isCanceled: false,
    isTerminated: false,
    isMaxBuffer: false,
    stdout: '',
    stderr: '',
    ...more,
  })

describe('a finished process is recognised in the shape of every library', () => {
  it.each([
    ['spawnSync', { pid: 7, status: 1, signal: null, output: [null, '', LIMIT], stdout: '', stderr: LIMIT }],
    [
      'spawnSync, bytes',
      { pid: 7, status: 1, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.from(LIMIT) },
    ],
    ['a code beside the streams', { code: 1, stdout: '', stderr: LIMIT }],
    ['snake_case', { exit_code: 1, stdout: '', stderr: LIMIT }],
    ['Python', { returncode: 1, stdout: LIMIT, stderr: '', args: ['claude'] }],
    ['zx', new ProcessOutput({ code: 1, signal: null, stdout: '', stderr: LIMIT })],
    ['execa', execa({ exitCode: 1, stderr: LIMIT })],
    ['execa, lines', execa({ exitCode: 1, stderr: [LIMIT.trim()] })],
    ['execa, both streams in one', { exitCode: 1, failed: true, all: LIMIT, command: 'claude' }],
  ])('%s', (_name, input) => {
    expect(classify(input)).toMatchObject({ kind: 'usage_limit', exitCode: 1, retryAfterMs: 7_200_000 })
  })

  it('succeeds with exit 0 in each of them', () => {
    const answer = 'The log shows 429 Too Many Requests; I fixed the retry.'
    for (const input of [
      { pid: 7, status: 0, signal: null, output: [null, answer, ''], stdout: answer, stderr: '' },
      { code: 0, stdout: answer, stderr: '' },
      { exit_code: 0, stdout: answer, stderr: '' },
      { exitCode: 0, failed: false, stdout: answer, stderr: '', command: 'claude' },
      new ProcessOutput({ code: 0, signal: null, stdout: answer, stderr: '' }),
    ])
      expect(classify(input)).toBeNull()
  })

  it.each([
    ['a signal beside the streams', { signal: 'SIGKILL', stdout: '', stderr: '' }],
    [
      'spawnSync',
      { pid: 7, status: null, signal: 'SIGKILL', output: [null, '', ''], stdout: '', stderr: '' },
    ],
    ['a code of null', { code: null, signal: 'SIGKILL', stdout: '', stderr: '' }],
    ['zx', new ProcessOutput({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' })],
    ['execa', execa({ signal: 'SIGKILL', isTerminated: true })],
  ])('and so is the signal that ended it: %s', (_name, input) => {
    expect(classify(input)).toMatchObject({ kind: 'killed', signal: 'SIGKILL', effect: 'maybe' })
  })

  it.each([
    ['snake_case', { exit_code: null, timed_out: true, stdout: '', stderr: '' }],
    ['execa', execa({ timedOut: true, signal: 'SIGTERM' })],
    ['exec', { cmd: 'x', code: null, killed: true, signal: 'SIGTERM', stdout: '', stderr: '' }],
  ])('and the timer that did: %s', (_name, input) => {
    expect(classify(input)).toMatchObject({ class: 'timeout', effect: 'maybe' })
  })

  it('and that the caller cancelled it', () => {
    expect(classify(execa({ isCanceled: true, signal: 'SIGTERM' }))).toMatchObject({ class: 'aborted' })
    expect(classify(execa({ isMaxBuffer: true, signal: 'SIGTERM', exitCode: 1 }))).toMatchObject({
      kind: 'max_size',
    })
  })

  it('and that the program does not exist', () => {
    expect(
      classify(execa({ code: 'ENOENT', originalMessage: 'spawn claude ENOENT', syscall: 'spawn claude' })),
    ).toMatchObject({ kind: 'binary_not_found', effect: 'none' })
  })

  it('never reads the arguments of the command for the failure', () => {
    expect(classify(execa({ exitCode: 1 }))).toMatchObject({ class: 'unknown', kind: 'command_failed' })
  })

  it("reads Node's own results", async () => {
    const run = promisify(exec)
    const failed = await run(`echo "Error: 401 Unauthorized" >&2; exit 3`).catch((error: unknown) => error)
    expect(classify(failed)).toMatchObject({ kind: 'auth', exitCode: 3 })
    expect(classify(await run('echo done'), { returned: true })).toBeNull()
    expect(classify(spawnSync('sh', ['-c', 'kill -9 $$']))).toMatchObject({
      kind: 'killed',
      signal: 'SIGKILL',
    })
    expect(classify(spawnSync('sh', ['-c', 'echo fine']))).toBeNull()
    expect(classify(spawnSync('no-such-program-here'))).toMatchObject({
      kind: 'binary_not_found',
      effect: 'none',
    })
    expect(classify(spawnSync('sleep', ['5'], { timeout: 20 }))).toMatchObject({
      class: 'timeout',
      effect: 'maybe',
    })
  })

  it('does not take an HTTP answer or a job for a process', () => {
    expect(classify({ status: 500, headers: {}, body: 'x', stdout: '' })).toMatchObject({ status: 500 })
    expect(classify({ code: 'E1', stdout: 'x' }, { returned: true })).toBeNull()
    expect(classify({ status: 'done', stdout: 'x' }, { returned: true })).toBeNull()
  })
})
