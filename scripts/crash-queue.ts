import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isLedgerError } from '../src/ledger/error.ts'
import { isEnded } from '../src/ledger/operation.ts'
import { type OpenedQueue, openQueue } from '../src/queue/open.ts'
import { quietly } from '../src/time/clean-up.ts'
import { realTime } from '../src/time/time.ts'
import { faketime, HARMS, type Harmed, Harming, isPossible } from './crash-harm.ts'
import { Receiver } from './receiver.ts'
import { runnerProgram } from './runner-program.ts'

// The crash test with real capabilities: their effects happen outside, each must be verified before a second run, and
// none may happen twice.

export interface CrashQueueOptions {
  minutes: number
  ops: number
  runners?: number
  leaseMs?: number
  /** Continues until this many runners were killed. Default 0. */
  kills?: number
}

export interface CrashQueueReport {
  submitted: number
  succeeded: number
  dead: number
  /** Dead although their effect can be verified. Must be 0. */
  wronglyDead: number
  /** No longer in the ledger. Must be 0. */
  lost: number
  /** Not ended, although there was enough time. Must be 0. */
  stuck: number
  /** Expired, although there was enough time. Must be 0. */
  wronglyExpired: number
  /** Number of each harm. */
  harms: Harmed
  /** Runs taken over from a lost runner. */
  takenOver: number
  /** Runs settled more than once. Must be 0. */
  settledTwice: number
  /** Operations whose effect happened more than once. Must be 0. */
  twice: number
  /** Operations that succeeded without their effect. Must be 0. */
  missing: number
  findings: readonly string[]
}

/** Verifiable work, verifiable work that fails after its effect, and work that cannot be verified. */
const WORK = ['effect', 'steps', 'once']

/** Events that end a run. */
const ENDS: ReadonlySet<string> = new Set([
  'succeeded',
  'dead',
  'retrying',
  'snoozed',
  'parked',
  'handed_back',
])

/** Starts a process that runs the operations of a data folder. */
export function startRunner(
  data: string,
  receiver: string,
  leaseMs: number,
  clockFile?: string,
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
): ChildProcess {
  const faked = clockFile === undefined ? {} : faketime(clockFile)
  const own = clockFile === undefined || Object.keys(faked).length > 0 ? [] : [clockFile]
  const args = [...runnerProgram('queue-runner'), data, receiver, `${leaseMs}`, ...own]
  // Errors of a harmed runner are expected, so its stderr is ignored.
  const [program, ...rest] = [...within, process.execPath, ...args] as [string, ...string[]]
  return spawn(program, rest, {
    stdio: [
      'ignore',
      'pipe',
      clockFile === undefined && env.CRASH_DATABASE === undefined ? 'inherit' : 'ignore',
    ],
    env: { ...process.env, ...faked, ...env },
  })
}

export async function crashQueue(options: CrashQueueOptions): Promise<CrashQueueReport> {
  const { minutes, ops, runners = 4, leaseMs = 1_500, kills = 0 } = options
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-crash-queue-'))
  const receiverFile = join(folder, 'receiver.db')
  const receiver = new Receiver(receiverFile)
  const data = join(folder, 'data')
  const children = new Set<ChildProcess>()
  const starting = new Set<Promise<unknown>>()
  const harming = new Harming({
    data,
    leaseMs,
    children,
    start: () => start(),
    started: () => Promise.all(starting),
  })
  // The submitting process uses the same clock as the runners.
  const time = { ...realTime, now: () => Date.now() + harming.offset }
  const queue = await openQueue({ data, time })
  const start = () => {
    const child = startRunner(data, receiverFile, leaseMs, harming.clockFile)
    const started = new Promise<unknown>(resolve => {
      child.stdout?.once('data', resolve).resume()
      child.once('exit', resolve)
    })
    starting.add(started)
    void started.then(() => starting.delete(started))
    children.add(child)
    child.once('exit', () => children.delete(child))
  }
  try {
    for (let i = 0; i < runners; i++) start()
    const end = performance.now() + minutes * 60_000
    const ids: string[] = []
    const submitting = submit(queue, ids, ops, end)
    // Each harm at least once, however short the run.
    for (const harm of HARMS.filter(isPossible)) {
      await delay(Math.random() * 200)
      await harming.once(harm)
    }
    while (performance.now() < end || harming.done.kill < kills) {
      await delay(100 + Math.random() * 400)
      await harming.once()
    }
    harming.settle()
    await submitting
    await drained(queue, ops, () => {
      while (children.size < runners) start()
    })
    return await reportOf(queue, ids, receiver, harming.done)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await quietly(() => queue.close())
    void quietly(() => receiver.close())
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}

/** Submits a few operations at a time until `end`, as callers would. */
export async function submit(queue: OpenedQueue, ids: string[], ops: number, end: number): Promise<void> {
  while (ids.length < ops) {
    const count = Math.min(ops - ids.length, 1 + Math.floor(Math.random() * Math.ceil(ops / 50)))
    const many = Array.from({ length: count }, (_, n) => ({
      capability: WORK[n % WORK.length] as string,
      params: { n },
      unchecked: true,
    }))
    try {
      ids.push(...(await queue.submitMany(many)).map(({ id }) => id))
    } catch (error) {
      // The ledger is unavailable and nothing was stored, so submit again.
      if (!isLedgerError(error)) throw error
      await delay(50)
    }
    // Spread over the whole time, because killing runners without work tests nothing.
    const leftMs = Math.max(0, end - performance.now())
    await delay(Math.random() * 2 * leftMs * (count / Math.max(count, ops - ids.length)))
  }
}

/** Waits until all operations have ended, however slow the machine is. */
export async function drained(queue: OpenedQueue, ops: number, keepUp: () => void): Promise<void> {
  let last = -1
  let changedAt = performance.now()
  for (;;) {
    keepUp()
    const { states } = await queue.ledger.counts()
    const ended = states.succeeded + states.dead
    if (ended >= ops) return
    if (ended !== last) changedAt = performance.now()
    last = ended
    // No progress for two minutes: the rest is reported as lost.
    if (performance.now() - changedAt > 120_000) return
    await delay(200)
  }
}

/** Compares the ledger with what was submitted and what happened outside. */
export async function reportOf<Harms>(
  queue: OpenedQueue,
  ids: readonly string[],
  receiver: Receiver,
  harms: Harms,
): Promise<Omit<CrashQueueReport, 'harms'> & { harms: Harms }> {
  const counts = receiver.counts()
  const findings = (await queue.ledger.check()).map(({ rule, message }) => `${rule}: ${message}`)
  const report = {
    submitted: ids.length,
    succeeded: 0,
    dead: 0,
    wronglyDead: 0,
    lost: 0,
    stuck: 0,
    wronglyExpired: 0,
    takenOver: 0,
    settledTwice: 0,
    twice: 0,
    missing: 0,
  }
  for (const id of ids) {
    const operation = await queue.ledger.get(id)
    if (!operation) report.lost++
    else if (!isEnded(operation)) report.stuck++
    if (!operation || !isEnded(operation)) continue
    report[operation.state]++
    if (operation.state === 'dead' && operation.deadAs === 'expired') report.wronglyExpired++
    if (operation.state === 'dead' && operation.capability !== 'once') report.wronglyDead++
    const events = await queue.ledger.timeline(id)
    report.takenOver += events.filter(({ type }) => type === 'taken_over').length
    const ends = events.filter(({ type }) => ENDS.has(type)).map(({ run }) => run)
    report.settledTwice += ends.length - new Set(ends).size
    const effects = counts.get(`${id}.${operation.createdAt.toString(36)}`) ?? 0
    if (effects > 1) report.twice++
    if (operation.state === 'succeeded' && effects === 0) report.missing++
  }
  return { ...report, harms, findings }
}
