import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { TestApi } from '../test/gateway/http/api.ts'
import { figure } from './figures.ts'

// How long a cancel takes to arrive at the signal of work in the same process: from the queue, and over the HTTP API.

const ROUNDS = Number(process.env.ROUNDS ?? 200)

let started = Promise.withResolvers<void>()
let stopped = Promise.withResolvers<number>()
const long = defineCapability({
  name: 'long',
  params: z.object({}),
  retry: 'replay',
  run: (_params, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.resolve(performance.now())
        reject(signal.reason)
      })
      started.resolve()
    }),
})
const api = await TestApi.start({ capabilities: [long] })
await api.queue.runner().start()
const WAYS = {
  'queue.cancel': (id: string) => api.queue.cancel(id),
  'POST /v1/operations/{id}/cancel': (id: string) => api.post(`/v1/operations/${id}/cancel`),
}
for (const [way, cancel] of Object.entries(WAYS)) {
  const taken: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    started = Promise.withResolvers()
    stopped = Promise.withResolvers()
    const { id } = await api.queue.submit('long')
    await started.promise
    const at = performance.now()
    await cancel(id)
    taken.push((await stopped.promise) - at)
    await api.queue.wait(id)
  }
  taken.sort((a, b) => a - b)
  const at = (share: number) => (taken[Math.floor((taken.length - 1) * share)] as number).toFixed(1)
  figure({
    what: `cancel by ${way} reaches the work`,
    unit: 'ms',
    better: 'less',
    values: { p50: Number(at(0.5)) },
  })
  process.stdout.write(`${way}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`)
}
await api.close()
