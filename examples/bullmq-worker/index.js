// A worker in BullMQ: the engine dispatches, Mulligan decides. An overload is retried, a bad request is not.
import { Queue, Worker } from 'bullmq'
import { bullmqProcessor, defineWorker } from 'mulligan/bullmq'

let calls = 0
const review = defineWorker({
  name: 'review',
  provider: 'anthropic',
  retry: 'replay',
  run: async ({ prompt }) => {
    calls += 1
    if (prompt === '') throw Object.assign(new Error('prompt is empty'), { status: 400 })
    if (calls === 1) throw Object.assign(new Error('Overloaded'), { status: 529 })
    return `reviewed: ${prompt}`
  },
})

const { hostname: host, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const connection = { host, port: Number(port), maxRetriesPerRequest: null }
const queue = new Queue(`reviews-${process.pid}`, { connection })
const worker = new Worker(queue.name, bullmqProcessor(review, { queue }), { connection })
const ended = id =>
  new Promise(resolve => {
    worker.on('completed', job => job.id === id && resolve(`done: ${job.returnvalue}`))
    worker.on('failed', job => job?.id === id && job.finishedOn && resolve(`failed: ${job.failedReason}`))
  })

const good = await queue.add('commit', { prompt: 'the last commit' })
console.log(await ended(good.id), `after ${calls} calls`)
const bad = await queue.add('commit', { prompt: '' })
console.log(await ended(bad.id), `after ${calls} calls`)

await worker.close()
await queue.obliterate({ force: true })
await queue.close()
