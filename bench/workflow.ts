import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { type OpenedQueue, openQueue } from '../src/queue/open.ts'
import { defineWorkflow } from '../src/workflow/define.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'
import { dbosChain } from './workflow-dbos.ts'

// Runs of a chain of ten steps that do nothing, beside bare operations that do nothing, and beside DBOS. All are started at
// once and run by one process; what counts is the time and the processor time for each step.
const RUNS = Number(process.env.RUNS ?? 1_000)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const STEPS = 10
const CONCURRENCY = 32

interface Cost {
  /** Wall time for one step or operation, microseconds. */
  wall: number
  /** Processor time of this process for it, microseconds. */
  cpu: number
}

const noop = defineCapability({ name: 'noop', params: z.object({}), retry: 'replay', run: () => null })
const chain = defineWorkflow({
  name: 'chain',
  steps: Array.from({ length: STEPS }, (_, n) => ({
    id: `s${n}`,
    run: noop as never,
    after: n === 0 ? [] : [`s${n - 1}`],
  })),
})

async function timed(count: number, work: () => Promise<void>): Promise<Cost> {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { wall: ((performance.now() - began) * 1_000) / count, cpu: (user + system) / count }
}

async function withQueue(work: (queue: OpenedQueue) => Promise<Cost>): Promise<Cost> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-bench-'))
  const queue = await openQueue({ data, capabilities: [noop as never], workflows: [chain] })
  try {
    await queue.runner({ concurrency: CONCURRENCY }).start()
    return await work(queue)
  } finally {
    await queue.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** The end of so many operations or runs, as the ledger tells it. */
async function ended(queue: OpenedQueue, type: 'succeeded' | 'workflow_ended', count: number): Promise<void> {
  const LIMIT = 5_000
  let [after, seen] = [0, 0]
  while (seen < count) {
    // Asked first: what comes in between is read the next time.
    const last = await queue.ledger.lastEvent()
    const events = await queue.ledger.events({ after, types: [type], limit: LIMIT })
    seen += events.length
    after = events.length < LIMIT ? last : (events.at(-1)?.id ?? last)
    if (seen < count) await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const bare = () =>
  withQueue(queue =>
    timed(RUNS * STEPS, async () => {
      const submitting = Array.from({ length: RUNS * STEPS }, () => queue.submit('noop', {}))
      await Promise.all(submitting)
      await ended(queue, 'succeeded', RUNS * STEPS)
    }),
  )

const workflow = () =>
  withQueue(queue =>
    timed(RUNS * STEPS, async () => {
      await Promise.all(Array.from({ length: RUNS }, () => queue.start(chain, {})))
      await ended(queue, 'workflow_ended', RUNS)
    }),
  )

const subjects: Record<string, () => Promise<Cost | string>> = {
  'bare operations': bare,
  'steps of workflows': workflow,
  ...(process.env.DBOS === 'no'
    ? {}
    : { 'DBOS on PostgreSQL': () => dbosChain({ runs: RUNS, steps: STEPS, timed }) }),
}
const costs = new Map<string, Cost[]>()
const left = new Map<string, string>()
for (let round = 0; round < ROUNDS; round++)
  for (const [name, run] of Object.entries(subjects)) {
    if (left.has(name)) continue
    const cost = await run()
    if (typeof cost === 'string') left.set(name, cost)
    else costs.set(name, [...(costs.get(name) ?? []), cost])
  }

const of = (name: string): Cost => {
  const all = costs.get(name) ?? []
  return { wall: median(all.map(({ wall }) => wall)), cpu: median(all.map(({ cpu }) => cpu)) }
}
process.stdout.write(`${RUNS} runs of ${STEPS} steps that do nothing, ${ROUNDS} rounds, medians\n`)
for (const name of Object.keys(subjects)) {
  const reason = left.get(name)
  const { wall, cpu } = of(name)
  process.stdout.write(
    reason === undefined
      ? `${name.padEnd(20)} ${wall.toFixed(0).padStart(7)} µs each, ${cpu.toFixed(0).padStart(6)} µs of processor time\n`
      : `${name.padEnd(20)} not measured: ${reason}\n`,
  )
}
const ratio = of('steps of workflows').cpu / of('bare operations').cpu
const wallRatio = of('steps of workflows').wall / of('bare operations').wall
process.stdout.write(
  `a step costs ${ratio.toFixed(2)} × a bare operation in processor time, ${wallRatio.toFixed(2)} × in wall time (at most 2)\n`,
)
figure({
  what: 'a step of a workflow, beside an operation',
  unit: 'µs of processor time',
  better: 'less',
  values: Object.fromEntries(
    ['steps of workflows', 'bare operations', ...Object.keys(subjects)]
      .filter(name => !left.has(name))
      .map(name => [name, of(name).cpu]),
  ),
  aim: '0.5 ×',
})
process.exit(Math.max(ratio, wallRatio) <= 2 ? 0 : 1)
