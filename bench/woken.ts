import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'

// Many operations that become due in the same moment, beside as many that were due all along: waking may cost no more
// than draining. Each case has a process of its own.

const COUNT = Number(process.env.OPS ?? 100_000)
const CHUNK = 5_000
const CONCURRENCY = 64
/** Long enough to submit everything before the moment. */
const WAKE_AFTER_MS = Math.max(4_000, COUNT / 10)

const CASES = [
  'due all along',
  'due all along, of a provider',
  'due at the same moment',
  'held for a provider that comes back',
] as const
type Case = (typeof CASES)[number]

interface Measured {
  seconds: number
  cpuSeconds: number
}

async function measure(which: Case): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-bench-woken-'))
  const { promise: drained, resolve: onDrained } = Promise.withResolvers<void>()
  const wakeAt = Date.now() + WAKE_AFTER_MS
  const isHeld = which === 'held for a provider that comes back'
  const isDue = which === 'due all along' || which === 'due all along, of a provider'
  let done = 0
  const work = defineCapability({
    name: 'work',
    params: z.object({ n: z.number() }),
    retry: 'replay',
    ...(isHeld || which === 'due all along, of a provider' ? { provider: 'vendor' } : {}),
    run: () => {
      if (isHeld && Date.now() < wakeAt) throw throttledUntil(wakeAt)
      if (++done === COUNT) onDrained()
    },
  })
  const queue = await openQueue({ data: folder, capabilities: [work] })
  const runner = queue.runner({ concurrency: CONCURRENCY })
  try {
    if (isHeld) {
      // The first operation meets the limit, so that the others are held from the start.
      await queue.submit('work', { n: 0 })
      await runner.start()
      while ((await queue.status()).retryQueue.queued === 0) await new Promise(next => setImmediate(next))
    }
    const first = isHeld ? 1 : 0
    for (let from = first; from < COUNT; from += CHUNK)
      await queue.submitMany(
        Array.from({ length: Math.min(CHUNK, COUNT - from) }, (_, i) => ({
          capability: 'work',
          params: { n: from + i },
          ...(which === 'due at the same moment' ? { at: wakeAt } : {}),
        })),
      )
    const startsAt = isDue ? Date.now() : wakeAt
    const late = Date.now() - startsAt
    if (late > 0 && !isDue) throw new Error(`submitting took ${late} ms too long`)
    globalThis.gc?.()
    const cpu = process.cpuUsage()
    if (!isHeld) await runner.start()
    await drained
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (Date.now() - startsAt) / 1_000, cpuSeconds: (user + system) / 1_000_000 }
  } finally {
    await queue.close({ graceMs: 5_000 })
    rmSync(folder, { recursive: true, force: true })
  }
}

function throttledUntil(at: number): Error {
  const seconds = Math.ceil((at - Date.now()) / 1_000)
  return Object.assign(new Error('Too many requests'), {
    status: 429,
    headers: { 'retry-after': `${seconds}` },
  })
}

const [only] = process.argv.slice(2).filter((name): name is Case => CASES.includes(name as Case))
if (only) process.stdout.write(JSON.stringify(await measure(only)))
else {
  const results = new Map<Case, Measured>()
  for (const which of CASES) {
    const program = fileURLToPath(import.meta.url)
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, which])
    results.set(which, JSON.parse(stdout) as Measured)
  }
  const base = results.get('due all along') as Measured
  process.stdout.write(
    `${COUNT} operations, concurrency ${CONCURRENCY}\n\n| | per second | µs of processor time each | × due all along |\n|---|---|---|---|\n`,
  )
  for (const [which, { seconds, cpuSeconds }] of results)
    process.stdout.write(
      `| ${which} | ${(COUNT / seconds).toFixed(0)} | ${((cpuSeconds / COUNT) * 1e6).toFixed(0)} | ${(base.seconds / seconds).toFixed(2)} |\n`,
    )
}
