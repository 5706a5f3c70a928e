import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { WorkContext } from '../src/capability/context.ts'
import { defineCapability } from '../src/capability/define.ts'
import { commandCapability } from '../src/capability/kind/command-capability.ts'
import { openQueue } from '../src/queue/open.ts'
import { realTime } from '../src/time/time.ts'
import { defaultPolicy } from '../src/verdict/default-policy.ts'
import { Receiver } from './receiver.ts'

// A process that runs operations, for tests that kill it. Arguments: the data folder, the receiver's file, the lease in
// milliseconds, and optionally a file with the offset of its clock. CRASH_DATABASE is the address of the ledger's server,
// if there is one. It prints `ready` once it runs.
const [data, receiverFile, leaseMs, clockFile] = process.argv.slice(2) as [string, string, string, string?]
const receiver = new Receiver(receiverFile)
const pause = () => delay(Math.random() * 20)
const nothing = z.object({ n: z.number().optional() })

/** Has an effect outside, and fails at random before and after it. Must be verified before a second run. */
const effect = defineCapability({
  name: 'effect',
  params: nothing,
  retry: 'verify_first',
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

/** Has an effect, then makes a request that is often refused. The refusal says nothing about the effect. */
async function twoSteps(_params: unknown, { idempotencyKey, run }: WorkContext): Promise<number> {
  await pause()
  receiver.take(idempotencyKey, run)
  await pause()
  if (Math.random() < 0.3) throw Object.assign(new Error('Overloaded'), { status: 529 })
  return run
}
const steps = defineCapability({
  name: 'steps',
  params: nothing,
  retry: 'verify_first',
  verify: (_params, { idempotencyKey, run }) => receiver.has(idempotencyKey, run),
  run: twoSteps,
})
const once = defineCapability({ name: 'once', params: nothing, retry: 'none', run: twoSteps })

const who = defineCapability({ name: 'who', params: nothing, retry: 'replay', run: () => process.pid })

/** A command that starts a process that never ends; writes both pids to a file. */
const tree = commandCapability({
  retry: 'none',
  name: 'tree',
  params: { file: { type: 'string' } },
  argv: [
    process.execPath,
    '-e',
    `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
     require('node:fs').writeFileSync(process.argv[1], process.pid + ' ' + child.pid)
     setInterval(() => {}, 1000)`,
    '{file}',
  ],
})

const limited = defineCapability({
  name: 'limited',
  params: z.object({ resetAt: z.number() }),
  provider: 'vendor',
  retry: 'replay',
  run: ({ resetAt }) => {
    if (Date.now() >= resetAt) return 'served'
    process.stdout.write('asked\n')
    throw Object.assign(new Error('usage limit reached'), {
      status: 429,
      headers: { 'retry-after': `${Math.ceil((resetAt - Date.now()) / 1_000)}` },
    })
  },
})

/** The clock's offset in milliseconds, read from a file with seconds. */
function offset(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8')) * 1_000
  } catch {
    return 0
  }
}

const { CRASH_DATABASE: database } = process.env
const queue = await openQueue({
  data,
  ...(database === undefined ? {} : { database, connections: 4 }),
  ...(clockFile === undefined ? {} : { time: { ...realTime, now: () => Date.now() + offset(clockFile) } }),
  capabilities: [effect, steps, once, who, tree, limited],
  leaseMs: Number(leaseMs),
  maxRetries: 10_000,
  maxSnoozes: 10_000,
  retryForMs: 86_400_000,
  // The default policy, but with short waits, because the test needs thousands of crashes.
  policy: (failure, circumstances) => {
    const verdict = defaultPolicy.verdict(failure, circumstances)
    return verdict.action === 'retry' ? { ...verdict, delayMs: 20 } : verdict
  },
})
await queue.runner({ concurrency: 8 }).start()
process.once('SIGTERM', () => void queue.close({ graceMs: 5_000 }))
process.stdout.write('ready\n')
