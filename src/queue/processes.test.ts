import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startRunner } from '../../scripts/crash-queue.ts'
import { nextEvent } from '../testing/events.ts'
import { type OpenedQueue, openQueue } from './open.ts'

// Real processes on one folder: this one submits and waits, the others run.

let folder: string
let queue: OpenedQueue
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-processes-'))
  queue = await openQueue({ data: join(folder, 'data') })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await queue.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A running process, and the lines that it prints from now on. */
const start = async (leaseMs = 1_000) => {
  const child = startRunner(join(folder, 'data'), join(folder, 'receiver.db'), leaseMs)
  children.push(child)
  const lines: string[] = []
  if (!child.stdout) throw new Error('the runner has no output')
  const reader = createInterface(child.stdout)
  reader.on('line', line => lines.push(line))
  await once(reader, 'line')
  return { child, lines }
}
const submit = (capability: string, params: unknown = {}) =>
  queue.submit(capability, params, { unchecked: true }).then(({ id }) => id)

it('one process submits, another runs, and the first gets the result', async () => {
  const { child } = await start()
  const id = await submit('who')
  expect(await queue.wait(id)).toMatchObject({ state: 'succeeded', result: child.pid })
})

it('a new process runs what was submitted before it started', async () => {
  const id = await submit('who')
  const waiting = queue.wait(id)
  const { child } = await start()
  expect(await waiting).toMatchObject({ result: child.pid })
})

it('a cancel from another process ends the whole process tree of a run', async () => {
  await start()
  const file = join(folder, 'pids')
  const written = fileWritten(file)
  const id = await submit('tree', { file })
  await written
  const pids = readFileSync(file, 'utf8').split(' ').map(Number)
  expect(pids).toHaveLength(2)
  expect(pids.every(isAlive)).toBe(true)
  expect(await queue.cancel(id)).toBe('requested')
  expect(await queue.wait(id)).toMatchObject({ deadAs: 'cancelled' })
  expect(pids.some(isAlive)).toBe(false)
})

it('all processes avoid a provider that refused one of them', async () => {
  const [one, two] = [await start(), await start()]
  const resetAt = Date.now() + 3_000
  const first = await submit('limited', { resetAt })
  await nextEvent(queue, ({ type, operation }) => type === 'snoozed' && operation === first)
  const more = await Promise.all(Array.from({ length: 20 }, () => submit('limited', { resetAt })))
  const ends = await Promise.all([first, ...more].map(id => queue.wait(id)))
  expect(ends.every(({ state }) => state === 'succeeded')).toBe(true)
  // Only the first was tried while the limit applied: the others waited, and used nothing up.
  const asked = [...one.lines, ...two.lines].filter(line => line === 'asked')
  expect(asked).toHaveLength(1)
  expect(ends.slice(1).map(({ attempts, snoozes }) => [attempts, snoozes])).toEqual(more.map(() => [1, 0]))
})

it('the work of a killed process is taken over, verified and finished', async () => {
  const { child } = await start()
  const ids = await Promise.all(Array.from({ length: 40 }, () => submit('effect')))
  await nextEvent(queue, ({ type }) => type === 'succeeded')
  child.kill('SIGKILL')
  await start()
  const ends = await Promise.all(ids.map(id => queue.wait(id)))
  expect(ends.every(({ state }) => state === 'succeeded')).toBe(true)
  const { Receiver } = await import('../../scripts/receiver.ts')
  const receiver = new Receiver(join(folder, 'receiver.db'))
  expect([...receiver.counts().values()]).toEqual(ids.map(() => 1))
  receiver.close()
})

it('a process that is asked to stop finishes what it can', async () => {
  const { child } = await start()
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit('effect')))
  await nextEvent(queue, ({ type }) => type === 'claimed')
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect((await queue.ledger.counts()).states.running).toBe(0)
  expect(await queue.ledger.runners()).toEqual([])
  await start()
  expect((await Promise.all(ids.map(id => queue.wait(id)))).every(({ retries }) => retries < 5)).toBe(true)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A dead child that is not yet reaped still has a pid.
    return !/^State:\s+Z/m.test(
      existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '',
    )
  } catch {
    return false
  }
}

function fileWritten(file: string): Promise<void> {
  return new Promise(resolve => {
    const watcher = watch(join(file, '..'), () => {
      if (!existsSync(file) || readFileSync(file, 'utf8').split(' ').length < 2) return
      watcher.close()
      resolve()
    })
  })
}
