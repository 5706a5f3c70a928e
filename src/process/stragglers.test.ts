import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { run } from './run.ts'

let pids: string
beforeEach(() => {
  pids = join(mkdtempSync(join(tmpdir(), 'mulligan-tree-')), 'pids')
})

const eventually = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 5))
}
const started = () =>
  existsSync(pids) ? readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number) : []
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Runs forever and ignores signals. */
const deaf = () => `trap "" TERM HUP; echo $$ >> ${pids}; while :; do sleep 1; done`
const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`
/** A new session whose parent exits at once: how a program becomes a daemon. */
const daemonised = () =>
  `setsid sh -c ${quoted(`sh -c ${quoted(deaf())} >/dev/null 2>&1 </dev/null & exit 0`)}`

describe.runIf(existsSync('/proc/self/environ'))('ending a program ends everything it started', () => {
  it('including a process that called setsid, on abort', async () => {
    const stop = new AbortController()
    const script = `setsid sh -c ${quoted(deaf())} & ${daemonised()}; wait; while :; do sleep 1; done`
    const running = run({ argv: ['sh', '-c', script], signal: stop.signal, killGraceMs: 10 })
    await eventually(() => started().length === 2)
    expect(started().map(isAlive)).toEqual([true, true])
    stop.abort()
    expect(await running).toMatchObject({ aborted: true })
    await eventually(() => !started().some(isAlive))
  })

  it('including a daemon it left behind, when it ends on its own', async () => {
    const script = `${daemonised()}; while ! test -s ${pids}; do sleep 0.01; done; echo done`
    expect(await run({ argv: ['sh', '-c', script] })).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    await eventually(() => !started().some(isAlive))
  })

  it('unless processes may stay', async () => {
    const script = `${daemonised()}; while ! test -s ${pids}; do sleep 0.01; done`
    await run({ argv: ['sh', '-c', script], leaveChildren: true })
    expect(started().map(isAlive)).toEqual([true])
    process.kill(started()[0] as number, 'SIGKILL')
  })

  it('including a process that discarded its environment, while its parents exist', async () => {
    const stop = new AbortController()
    const script = `env -i PATH="$PATH" setsid sh -c ${quoted(deaf())} & wait; while :; do sleep 1; done`
    const running = run({ argv: ['sh', '-c', script], signal: stop.signal, killGraceMs: 10 })
    await eventually(() => started().length === 1)
    stop.abort()
    await running
    await eventually(() => !started().some(isAlive))
  })

  it('including what a nested Mulligan started', async () => {
    const stop = new AbortController()
    const inner = `import { run } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)}
      await run({ argv: ['sh', '-c', ${JSON.stringify(`${daemonised()}; while :; do sleep 1; done`)}] })`
    const argv = [process.execPath, '--input-type=module', '-e', inner] as const
    const running = run({ argv: [...argv], signal: stop.signal, killGraceMs: 10 })
    await eventually(() => started().length === 1)
    stop.abort()
    await running
    await eventually(() => !started().some(isAlive))
  })

  it('even when this process is killed', async () => {
    const program = `import { run } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)}
      await run({ argv: ['sh', '-c', ${JSON.stringify(`${daemonised()}; while :; do sleep 1; done`)}] })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    await eventually(() => started().length === 1)
    child.kill('SIGKILL')
    await eventually(() => !started().some(isAlive))
  })

  it('even when this process is killed while starting the program', async () => {
    const program = `import { spawn } from 'node:child_process'
      import { guard } from ${JSON.stringify(new URL('./guard.ts', import.meta.url).href)}
      import { newMark, withMark } from ${JSON.stringify(new URL('./stragglers.ts', import.meta.url).href)}
      const mark = newMark()
      guard(mark)
      spawn('sh', ['-c', ${JSON.stringify(deaf())}], { env: withMark(process.env, mark), detached: true, stdio: 'ignore' })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    await eventually(() => started().length === 1)
    child.kill('SIGKILL')
    await eventually(() => !started().some(isAlive))
  })

  it('but not what an earlier program was allowed to leave, when this process is killed', async () => {
    const program = `import { run } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)}
      const wait = ${JSON.stringify(`while ! test -s ${pids}; do sleep 0.01; done`)}
      await run({ argv: ['sh', '-c', ${JSON.stringify(`${daemonised()}; `)} + wait], leaveChildren: true })
      await run({ argv: ['sh', '-c', ${JSON.stringify(deaf())}] })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    await eventually(() => started().length === 2)
    child.kill('SIGKILL')
    const [stays, goes] = started() as [number, number]
    await eventually(() => !isAlive(goes))
    expect(isAlive(stays)).toBe(true)
    process.kill(stays, 'SIGKILL')
  })
})
