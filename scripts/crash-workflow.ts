import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type OpenedQueue, openQueue } from '../src/queue/open.ts'
import { quietly } from '../src/time/clean-up.ts'
import { defineWorkflow } from '../src/workflow/define.ts'
import { Receiver } from './receiver.ts'
import { runnerProgram } from './runner-program.ts'

// Workflows under kill -9: two processes run the steps of many runs and continue them, and are killed at random moments.
// Afterwards every run must have finished exactly once, with each of its effects exactly once.

/** What happened to the runs. */
export interface WorkflowCrashReport {
  kills: number
  runs: number
  succeeded: number
  /** Runs that did not succeed, or did not end. */
  notFinished: number
  /** Ends of runs that were recorded a second time. */
  endedTwice: number
  /** Steps with more than one operation. */
  startedTwice: number
  /** Steps that succeeded without their effect. */
  missing: number
  /** Effects that happened twice. */
  twice: number
  /** Broken promises found by the check of the ledger. */
  findings: string[]
}

const PROCESSES = 2

const step = (id: string, ...after: string[]) => ({
  id,
  run: 'effect',
  params: { from: after.map(each => `{results.${each}}`) },
  after,
})
const five = defineWorkflow({
  name: 'five',
  steps: [step('a'), step('b', 'a'), step('c', 'a'), step('d', 'b', 'c'), step('e', 'd')],
})

export interface CrashWorkflowOptions {
  kills: number
  runs: number
  leaseMs?: number
  /** Address of an empty PostgreSQL database for the ledger. Default a file. */
  database?: string
}

export async function crashWorkflow({
  kills,
  runs,
  leaseMs = 800,
  database,
}: CrashWorkflowOptions): Promise<WorkflowCrashReport> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-workflows-'))
  const receiverFile = join(data, 'receiver.db')
  const receiver = new Receiver(receiverFile)
  const queue = await openQueue({
    data: join(data, 'state'),
    ...(database === undefined ? {} : { database }),
  })
  const children = new Set<ChildProcess>()
  const start = async () => {
    const argv = [...runnerProgram('workflow-runner'), join(data, 'state'), receiverFile, `${leaseMs}`]
    const env = { ...process.env, ...(database === undefined ? {} : { CRASH_DATABASE: database }) }
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')])
  }
  const end = async (child: ChildProcess) => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await gone
  }
  try {
    const ids: string[] = []
    await Promise.all(Array.from({ length: PROCESSES }, start))
    for (let kill = 0; kill < kills; kill++) {
      while (ids.length < Math.ceil(((kill + 1) * runs) / kills)) ids.push((await five.start(queue, {})).id)
      await delay(Math.random() * 300)
      const victims = [...children]
      const victim = victims[Math.floor(Math.random() * victims.length)]
      if (victim) await end(victim)
      await start()
    }
    await finished(queue, ids)
    await Promise.all([...children].map(end))
    return await reportOf(queue, ids, receiver, kills)
  } finally {
    await quietly(() => Promise.all([...children].map(end)))
    await quietly(() => queue.close())
    void quietly(() => receiver.close())
    void quietly(() => rmSync(data, { recursive: true, force: true }))
  }
}

/** Waits until every run has ended. If nothing changes for a minute, the rest is lost and reported as such. */
async function finished({ ledger }: OpenedQueue, ids: readonly string[]): Promise<void> {
  let last = -1
  for (let changedAt = performance.now(); performance.now() - changedAt < 60_000; ) {
    const ended = (await ledger.events({ types: ['workflow_ended'], limit: 1_000_000 })).length
    if (ended >= ids.length) return
    if (ended !== last) changedAt = performance.now()
    last = ended
    await delay(200)
  }
}

async function reportOf(
  { ledger }: OpenedQueue,
  ids: readonly string[],
  receiver: Receiver,
  kills: number,
): Promise<WorkflowCrashReport> {
  const ends = (await ledger.events({ types: ['workflow_ended'], limit: 1_000_000 })).map(
    ({ data }) => data?.workflow_run,
  )
  const effects = receiver.counts()
  let [succeeded, startedTwice, missing] = [0, 0, 0]
  for (const id of ids) {
    const run = await ledger.workflowRun(id)
    if (run?.state === 'succeeded') succeeded++
    for (const { operation = '', operations } of run?.steps ?? []) {
      if (operations > 1) startedTwice++
      const stored = await ledger.get(operation)
      if (!stored || !effects.has(`${operation}.${stored.createdAt.toString(36)}`)) missing++
    }
  }
  const { total } = await ledger.counts()
  return {
    kills,
    runs: ids.length,
    succeeded,
    notFinished: ids.length - succeeded,
    endedTwice: ends.length - new Set(ends).size,
    startedTwice: startedTwice + (total - ids.length * five.plan.steps.length),
    missing,
    twice: [...effects.values()].filter(count => count > 1).length,
    findings: (await ledger.check()).map(({ rule, message }) => `${rule}: ${message}`),
  }
}
