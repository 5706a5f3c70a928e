import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'
import { ALL_WORKFLOWS } from '../src/workflow/workflow-service.ts'
import { Receiver } from './receiver.ts'

// A process that runs workflow steps and continues their runs, for tests that kill it. Arguments: the data folder, the
// receiver's file, and the lease in milliseconds; CRASH_DATABASE is the address of a ledger on PostgreSQL. It prints `ready`
// once it runs.
const database = process.env.CRASH_DATABASE
const [data, receiverFile, leaseMs] = process.argv.slice(2) as [string, string, string]
const receiver = new Receiver(receiverFile)
const pause = () => delay(Math.random() * 15)

/** Has an effect outside, and fails at random before and after it. Must be verified before a second run. */
const effect = defineCapability({
  name: 'effect',
  params: z.object({ from: z.array(z.unknown()) }),
  retry: 'verify_first',
  maxRetries: 100,
  verify: (_params, { idempotencyKey, run }) => receiver.has(idempotencyKey, run),
  run: async (_params, { idempotencyKey, run }) => {
    await pause()
    if (Math.random() < 0.05) throw new Error('read ECONNRESET')
    receiver.take(idempotencyKey, run)
    await pause()
    if (Math.random() < 0.05) throw new Error('read ECONNRESET')
    return run
  },
})

const queue = await openQueue({
  data,
  ...(database === undefined ? {} : { database }),
  capabilities: [effect as never],
  leaseMs: Number(leaseMs),
  workflows: [ALL_WORKFLOWS],
  // The test needs waits, but short ones.
  policy: {
    verdict: (_failure, { retries }) => ({
      action: 'retry',
      delayMs: 20 * (1 + (retries % 5)),
      mode: 'again',
      reason: 'soon',
      rule: 'test',
    }),
    health: () => ({ breaker: 'none' }),
  },
  onProblem: problem => {
    if (problem.about === 'queue') process.stderr.write(`${String(problem.error)}\n`)
  },
})
await queue.runner({ concurrency: 8 }).start()
process.stdout.write('ready\n')
