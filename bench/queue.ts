import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { soak } from '../scripts/soak/hours.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'
import { measures } from './queue-measures.ts'
import { type Peer, peers } from './queue-peers.ts'

// The queue beside others, in one run and in turns, each in a process of its own, with durability of the same class:
// what was committed survives the death of every process. Then hours of operations on a clock that is moved by hand.

const say = (line = '') => process.stdout.write(`${line}\n`)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SOAK = Number(process.env.SOAK ?? 100_000)
/** Names of the queues to measure, such as `mulligan,plainjob`. Default all. */
const PEERS = process.env.PEERS?.split(',')

async function measure(all: readonly Peer[]): Promise<Map<string, Map<string, number>>> {
  const results = new Map<string, Map<string, number>>()
  for (const title of Object.keys(measures)) {
    if (!title.includes(process.env.MEASURE ?? '')) continue
    const samples = new Map<string, number[]>(all.map(({ name }) => [name, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const { name } of all) samples.get(name)?.push(await inItsOwnProcess(name, title))
    const medians = new Map([...samples].map(([name, values]) => [name, median(values)]))
    results.set(title, medians)
    const digits = title.endsWith('ms') ? 2 : 0
    say(`| ${title} | ${all.map(({ name }) => (medians.get(name) as number).toFixed(digits)).join(' | ')} |`)
  }
  return results
}

/** Each queue has a process to itself, as in use: in a shared one each would pay for what the others left behind. */
async function inItsOwnProcess(name: string, title: string): Promise<number> {
  const program = fileURLToPath(new URL('./queue-one.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, name, title])
  return Number(stdout)
}

const { all: known, missing, stop } = await peers()
const all = known.filter(({ name }) => PEERS?.includes(name) ?? true)
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
  for (const [title, medians] of results)
    figure({
      what: title.replace(/, (ms|per second)$/, ''),
      unit: title.endsWith('ms') ? 'ms' : 'per second',
      better: title.endsWith('ms') ? 'less' : 'more',
      values: { mulligan: medians.get('mulligan') as number, ...Object.fromEntries(medians) },
    })
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
