import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { soak } from '../scripts/soak.ts'
import { openLedger } from '../src/ledger/index.ts'
import { median } from './measure.ts'
import { type Peer, peers, type Subject } from './queue-peers.ts'

// The queue beside others, in one run and in turns, with durability of the same class: what was committed survives
// the death of every process. Then hours of operations on a clock that is moved by hand.

const say = (line = '') => process.stdout.write(`${line}\n`)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const ONE_BY_ONE = 1_000
const MANY = 5_000
const HANDED = 100
const SOAK = Number(process.env.SOAK ?? 100_000)

const paramsOf = (n: number) => ({
  n,
  task: 'summarise',
  file: `/home/ada/notes/2026-01-${n}.md`,
  words: 200,
})
const list = (count: number) => Array.from({ length: count }, (_, n) => paramsOf(n))

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.()
  const start = performance.now()
  await work()
  return count / ((performance.now() - start) / 1_000)
}

const measures: Record<string, (subject: Subject) => Promise<number>> = {
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

async function measure(all: readonly Peer[]): Promise<Map<string, Map<string, number>>> {
  const results = new Map<string, Map<string, number>>()
  for (const [title, run] of Object.entries(measures)) {
    if (!title.includes(process.env.MEASURE ?? '')) continue
    const samples = new Map<string, number[]>(all.map(({ name }) => [name, []]))
    for (let round = 0; round <= ROUNDS; round++)
      for (const peer of all) {
        const subject = await peer.open()
        const value = await run(subject)
        await subject.close()
        // The first round warms up.
        if (round > 0) samples.get(peer.name)?.push(value)
      }
    const medians = new Map([...samples].map(([name, values]) => [name, median(values)]))
    results.set(title, medians)
    const digits = title.endsWith('ms') ? 2 : 0
    say(`| ${title} | ${all.map(({ name }) => (medians.get(name) as number).toFixed(digits)).join(' | ')} |`)
  }
  return results
}

const { all, missing, stop } = await peers()
try {
  for (const { name, settings } of all) say(`- ${name}: ${settings}`)
  for (const line of missing) say(`- ${line}`)
  say()
  say(`| | ${all.map(({ name }) => name).join(' | ')} |`)
  say(`|---|${all.map(() => '---').join('|')}|`)
  const results = await measure(all)
  say()
  const drain = results.get('drain of no-ops, per second')
  if (drain) {
    const best = Math.max(...[...drain].filter(([name]) => name !== 'mulligan').map(([, value]) => value))
    const ratio = (drain.get('mulligan') as number) / best
    say(`drain: ${ratio.toFixed(2)} × the best of the others (to reach 1.2)`)
  }
  const latency = results.get('submit to start when idle, ms')?.get('mulligan')
  if (latency !== undefined) say(`submit to start: ${latency.toFixed(2)} ms (to reach: below 10)`)
} finally {
  stop()
}

const folder = mkdtempSync(join(tmpdir(), 'mulligan-soak-'))
try {
  const megabytes: number[] = []
  const report = await soak({
    operations: SOAK,
    hours: 8,
    ledger: time => openLedger({ file: join(folder, 'ledger.db'), time }),
    onHour: () => {
      globalThis.gc?.()
      megabytes.push(Math.round(process.memoryUsage().rss / 1_048_576))
    },
  })
  say()
  say(`soak, 8 hours on a fake clock: ${JSON.stringify(report)}`)
  say(`resident memory after each hour, MB: ${megabytes.join(', ')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// Clients of a server that is gone would try to reach it for ever.
process.exit()
