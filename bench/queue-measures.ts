import { setTimeout as delay } from 'node:timers/promises'
import { median } from './measure.ts'
import type { Subject } from './queue-peers.ts'

const ONE_BY_ONE = 1_000
const MANY = 5_000
const HANDED = 100

const paramsOf = (n: number) => ({
  n,
  task: 'summarise',
  file: `/home/ada/notes/2026-01-${n}.md`,
  words: 200,
})
const list = (count: number) => Array.from({ length: count }, (_, n) => paramsOf(n))

/** CLOCK=cpu: processor time of the whole process. Where others keep the machine busy, the time of day says little. */
const nowMs = process.env.CLOCK === 'cpu' ? cpuMs : () => performance.now()

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.()
  const start = nowMs()
  await work()
  return count / ((nowMs() - start) / 1_000)
}

/** What is measured of every queue. */
export const measures: Record<string, (subject: Subject) => Promise<number>> = {
  'submit one by one, per second': subject =>
    timed(ONE_BY_ONE, async () => {
      for (let n = 0; n < ONE_BY_ONE; n++) await subject.submit(paramsOf(n))
    }),
  'submit in bulk, per second': subject => timed(MANY, () => subject.submitMany(list(MANY))),
  'drain of no-ops, per second': async subject => {
    await subject.submitMany(list(MANY))
    const { promise, resolve } = Promise.withResolvers<void>()
    let done = 0
    return timed(MANY, async () => {
      await subject.work(() => {
        if (++done === MANY) resolve()
      })
      await promise
    })
  },
  'submit to start when idle, ms': async subject => {
    const starts = new Map<number, number>()
    let heard = () => {}
    await subject.work(({ n }) => {
      starts.set(n, performance.now())
      heard()
    })
    const waits: number[] = []
    for (let n = 0; n < HANDED; n++) {
      // Idle, and not in step with anybody's poll.
      await delay(5 + ((n * 7) % 20))
      const started = new Promise<void>(resolve => {
        heard = resolve
      })
      const submitted = performance.now()
      await subject.submit(paramsOf(n))
      await started
      waits.push((starts.get(n) as number) - submitted)
    }
    return median(waits)
  },
}
