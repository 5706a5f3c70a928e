import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker as BullWorker } from 'bullmq'
import { Logger, run as runGraphile } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'

// A daemon of one engine, as a process of its own: it does nothing with each job. Its arguments: the engine, the address of
// its server, the name of its schema or queue. It prints `ready`, starts at the line `go`, prints how many it has done and
// when the first and the last one were, epoch milliseconds, with the processor time it took since, and ends at the line `stop`.
const [engine = '', address = '', name = ''] = process.argv.slice(2)
const SLOTS = 64
let done = 0
let firstAt = Number.POSITIVE_INFINITY
let lastAt = 0
let cpu = process.cpuUsage()
const tick = () => {
  if (done++ === 0) cpu = process.cpuUsage()
  lastAt = Date.now()
  firstAt = Math.min(firstAt, lastAt)
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
      maxPoolSize: 20,
      pollInterval: 500,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
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

const tell = () => {
  const { user, system } = process.cpuUsage(cpu)
  process.stdout.write(`${JSON.stringify({ done, firstAt, lastAt, micros: user + system })}\n`)
}
const words = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
process.stdout.write('ready\n')
await words.next()
const stop = await (engines[engine] as () => Promise<() => Promise<void>>)()
const telling = setInterval(tell, 100)
await words.next()
clearInterval(telling)
await stop()
tell()
process.exit()
