import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { isGroupAlive } from './guard.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-'))
const sh = (script: string): [string, ...string[]] => ['sh', '-c', script]

/** Polls until a condition holds; tests never wait for a fixed time. */
async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 5))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie answers too, but no longer runs.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('run', () => {
  it('returns exit code and both streams, in the shape that classify takes', async () => {
    const result = await run({ argv: sh('echo out; echo "rate limit exceeded" >&2; exit 3') })
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      timedOut: false,
      aborted: false,
    })
    expect(classify(result)).toMatchObject({ class: 'throttle', exitCode: 3 })
  })

  it('passes arguments unchanged: there is no shell', async () => {
    const result = await run({ argv: ['printf', '%s|', '$HOME', '; rm -rf x', '`id`'] })
    expect(result.stdout).toBe('$HOME|; rm -rf x|`id`|')
  })

  it('closes stdin, with or without text', async () => {
    expect((await run({ argv: ['cat'], stdin: 'prompt' })).stdout).toBe('prompt')
    expect((await run({ argv: ['cat'] })).stdout).toBe('')
  })

  it('is not broken by a program that does not read its input', async () => {
    const result = await run({ argv: ['true'], stdin: 'x'.repeat(1_000_000) })
    expect(result.exitCode).toBe(0)
  })

  it('reports the signal that ended a program', async () => {
    expect(await run({ argv: sh('kill -s KILL $$') })).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
    })
  })

  it.each<[string, [string, ...string[]], string]>([
    ['is not there', ['no-such-program-here'], 'binary_not_found'],
    ['is not executable', [join(folder, 'plain.txt')], 'permission'],
  ])('rejects when the program %s', async (_title, argv, kind) => {
    writeFileSync(join(folder, 'plain.txt'), 'no program', { mode: 0o600 })
    const error = await run({ argv }).catch(reason => reason)
    expect(classify(error)).toMatchObject({ class: 'permanent', kind })
  })

  it('ends the whole tree on timeout, even grandchildren that ignore SIGTERM', async () => {
    const pids = join(folder, 'pids')
    const stubborn = `trap '' TERM; echo $$ >> ${pids}; (trap '' TERM; sh -c 'echo $$ >> ${pids}; trap "" TERM; while :; do sleep 1; done') & while :; do sleep 1; done`
    const time = new FakeTime()
    const running = run({ argv: sh(stubborn), timeoutMs: 300, killGraceMs: 100, time })
    await eventually(() => existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length === 3)
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
    await time.advance(300)
    expect(started.every(isAlive)).toBe(true)
    await time.advance(100)
    expect(await running).toMatchObject({ timedOut: true, signal: 'SIGKILL', durationMs: 400 })
    await eventually(() => started.every(pid => !isAlive(pid)))
  })

  it('lets a program that handles SIGTERM finish', async () => {
    const time = new FakeTime()
    const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done'
    const running = run({ argv: sh(script), timeoutMs: 300, time, onOutput: () => void time.advance(300) })
    expect(await running).toMatchObject({ exitCode: 7, timedOut: true, stdout: 'ready\nbye\n' })
  })

  it('ends a program that stops printing', async () => {
    const time = new FakeTime()
    const result = await run({
      argv: sh('echo working; sleep 100'),
      stallMs: 200,
      time,
      onOutput: () => void time.advance(200),
    })
    expect(result).toMatchObject({ stalled: true, timedOut: true, stdout: 'working\n' })
    expect(classify(result)).toMatchObject({ class: 'timeout' })
  })

  it('ends on abort, before and during', async () => {
    const controller = new AbortController()
    const onOutput = () => controller.abort()
    expect(
      await run({ argv: sh('echo x; sleep 100'), signal: controller.signal, killGraceMs: 100, onOutput }),
    ).toMatchObject({ aborted: true, timedOut: false })
    expect(await run({ argv: sh('sleep 100'), signal: AbortSignal.abort(), killGraceMs: 100 })).toMatchObject(
      { aborted: true },
    )
  })

  it('ends processes that a program leaves behind, unless told otherwise', async () => {
    const left = await run({ argv: sh('sleep 100 >/dev/null 2>&1 & echo $!'), leaveChildren: true })
    expect(isAlive(Number(left.stdout))).toBe(true)
    process.kill(Number(left.stdout), 'SIGKILL')
    const ended = await run({ argv: sh('sleep 100 >/dev/null 2>&1 & echo $!') })
    await eventually(() => !isAlive(Number(ended.stdout)))
  })

  it('does not wait for processes left behind that hold the output open', async () => {
    const { exitCode, timedOut, stdout } = await run({ argv: sh('sleep 100 & echo $!'), killGraceMs: 100 })
    expect({ exitCode, timedOut }).toEqual({ exitCode: 0, timedOut: false })
    await eventually(() => !isAlive(Number(stdout)))
  })

  it('reads the rest of the output of a process left behind that is about to end', async () => {
    // On this clock the drain time never ends.
    const time = new FakeTime()
    expect(await run({ argv: sh('(sleep 0.1; echo late) & echo early'), time })).toMatchObject({
      stdout: 'early\nlate\n',
    })
  })

  it('does not start a program whose signal is already aborted', async () => {
    const file = join(folder, 'ran')
    expect(await run({ argv: sh(`touch ${file}; sleep 100`), signal: AbortSignal.abort() })).toMatchObject({
      aborted: true,
      exitCode: null,
      signal: null,
    })
    expect(existsSync(file)).toBe(false)
  })

  it('rejects, and does not throw, if the arguments cannot be passed', async () => {
    const started = run({ argv: ['echo', 'a\0b'] })
    await expect(started).rejects.toThrow('without null bytes')
  })

  it('survives a log that cannot be written', async () => {
    const warned = new Promise(resolve => process.once('warning', resolve))
    const logFile = join(folder, 'nowhere', 'x.log')
    expect(await run({ argv: sh('echo x'), logFile })).toMatchObject({ exitCode: 0, stdout: 'x\n' })
    expect(await warned).toMatchObject({ code: 'MULLIGAN_LOG', message: expect.stringContaining(logFile) })
  })

  it('holds a gigabyte of output in bounded memory', async () => {
    const before = process.memoryUsage().rss
    const flood =
      'const b = Buffer.alloc(1e6, 120); let n = 0; (function go() { while (n++ < 1000) if (!process.stdout.write(b)) return process.stdout.once("drain", go); process.stdout.write("THE END") })()'
    const result = await run({ argv: [process.execPath, '-e', flood] })
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 1_000_000_007 })
    expect(result.stdout.length).toBeLessThan(600_000)
    expect(result.stdout).toMatch(/^xxx[\s\S]*\[\d+ bytes left out\]\n[\s\S]*THE END$/)
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6)
  })

  it('keeps all output in a private file if asked to', async () => {
    const logFile = join(folder, 'run.log')
    await run({ argv: sh('echo one; echo two >&2'), logFile })
    expect(readFileSync(logFile, 'utf8').split('\n').sort()).toEqual(['', 'one', 'two'])
    expect(statSync(logFile).mode & 0o777).toBe(0o600)
  })

  it('ends the tree when this process is killed, which no handler can catch', async () => {
    const module = fileURLToPath(new URL('run.ts', import.meta.url))
    const pidFile = join(folder, 'orphan')
    // The parent writes the file when the program reports: from then on the guard is active.
    const program = `import { writeFileSync } from 'node:fs'
      import { run } from ${JSON.stringify(module)}
      run({ argv: ['sh', '-c', 'echo $$; while :; do sleep 1; done'], onOutput: (_, pid) => writeFileSync(${JSON.stringify(pidFile)}, pid) })`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    await eventually(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'))
    const group = Number(readFileSync(pidFile, 'utf8'))
    expect(isGroupAlive(group)).toBe(true)
    parent.kill('SIGKILL')
    await eventually(() => !isAlive(group))
  })
})
