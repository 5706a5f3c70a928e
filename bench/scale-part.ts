import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker as BullWorker } from 'bullmq'
import { run as runGraphile } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'

// A daemon of one engine, as a process of its own: it does nothing with each job, until nothing came for five seconds.
// Its arguments: the engine, the address of its server, the name of its schema or queue. It prints `ready`, waits for a line,
// and prints how many it did and when the last one was done, epoch milliseconds.
const [engine = '', address = '', name = ''] = process.argv.slice(2)
const SLOTS = 64
let done = 0
let lastAt = 0
const tick = () => {
  done++
  lastAt = Date.now()
}

const engines: Record<string, () => Promise<() => Promise<void>>> = {
  mulligan: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-scale-'))
    const nothing = defineCapability({
      name: 'nothing',
      retry: 'replay',
      params: z.object({ n: z.number() }),
      run: () => {
        tick()
        return null
      },
    })
    const queue = await openQueue({
      data: folder,
      database: `${address}?schema=${name}`,
      capabilities: [nothing],
    })
    await queue.runner({ concurrency: SLOTS }).start()
    return async () => {
      await queue.close()
      rmSync(folder, { recursive: true })
    }
  },
  'pg-boss': async () => {
    const boss = new PgBoss({
      connectionString: address,
      schema: name,
      supervise: false,
      schedule: false,
    })
    await boss.start()
    // Its own worker waits between two batches; asked in a loop, it gives what it can.
    let isStopped = false
    const loop = (async () => {
      while (!isStopped) {
        const jobs = await boss.fetch('nothing', { batchSize: SLOTS })
        for (const _ of jobs) tick()
        if (jobs.length > 0)
          await boss.complete(
            'nothing',
            jobs.map(({ id }) => id),
          )
        else await delay(50)
      }
    })()
    return async () => {
      isStopped = true
      await loop
      await boss.stop({ graceful: false })
    }
  },
  'graphile-worker': async () => {
    const runner = await runGraphile({
      connectionString: address,
      schema: name,
      concurrency: SLOTS,
      pollInterval: 500,
      taskList: { nothing: async () => tick() },
    })
    return () => runner.stop().catch(() => {})
  },
  bullmq: async () => {
    const worker = new BullWorker(name, async () => tick(), {
      connection: { url: address, maxRetriesPerRequest: null },
      concurrency: SLOTS,
    })
    return () => worker.close()
  },
}

process.stdout.write('ready\n')
await new Promise(resolve => process.stdin.once('data', resolve))
const stop = await (engines[engine] as () => Promise<() => Promise<void>>)()
const startedAt = Date.now()
while (Date.now() - Math.max(lastAt, startedAt + 5_000) < 5_000) await delay(50)
await stop()
process.stdout.write(`${JSON.stringify({ done, lastAt })}\n`)
process.exit()
