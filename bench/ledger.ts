import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { better, defineQueue, defineWorker } from 'plainjob'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'

// The ledger and its engine beside plainjob, the other queue on SQLite for Node: on one disk, in one run, with
// the same durability (write-ahead log, synchronous = NORMAL), in turns, so that drift hits both alike.

const say = (line = '') => process.stdout.write(`${line}\n`)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const ROUNDS = Number(process.env.ROUNDS ?? 7)
const OPERATIONS = 5_000
const MANY = 20_000
const AT_ONCE = 64
const BATCH = 100
const MILLION = Number(process.env.MILLION ?? 1_000_000)

/** Parameters of a usual size. */
const paramsOf = (n: number) => ({
  task: 'summarise',
  file: `/home/ada/notes/2026-01-${n}.md`,
  words: 200,
  n,
})

const root = mkdtempSync(join(tmpdir(), 'mulligan-bench-'))
let files = 0
const newFile = () => join(root, `${files++}`, 'data.db')

async function ours(file = newFile()) {
  const ledger = await openLedger({ file, durability: 'normal' })
  const engine = new EmbeddedEngine({ ledger })
  const end = async () => {
    await engine.close()
    await ledger.close()
  }
  return { ledger, engine, end }
}

function plainjob() {
  const connection = better(new Database(join(root, `plainjob-${files++}.db`)))
  return defineQueue({ connection, logger: quiet })
}

/** Times something, in operations per second. */
async function rate(count: number, work: () => unknown): Promise<number> {
  globalThis.gc?.()
  const start = performance.now()
  await work()
  return count / ((performance.now() - start) / 1_000)
}

type Subject = () => Promise<number>

async function compare(title: string, subjects: Record<string, Subject>): Promise<Record<string, number>> {
  const samples = new Map<string, number[]>(Object.keys(subjects).map(name => [name, []]))
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, run] of Object.entries(subjects)) {
      const value = await run()
      // The first round warms up.
      if (round > 0) samples.get(name)?.push(value)
    }
  const medians = Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]))
  say(
    `| ${title} | ${Object.entries(medians)
      .map(([name, value]) => `${name}: ${Math.round(value)}/s`)
      .join(' · ')} |`,
  )
  return medians
}

const submitting = {
  'plainjob.add': async () => {
    const queue = plainjob()
    const value = await rate(OPERATIONS, () => {
      for (let i = 0; i < OPERATIONS; i++) queue.add('a', paramsOf(i))
    })
    queue.close()
    return value
  },
  'schedule, awaited one by one': async () => {
    const { engine, end } = await ours()
    const value = await rate(OPERATIONS, async () => {
      for (let i = 0; i < OPERATIONS; i++) await engine.schedule([{ capability: 'a', params: paramsOf(i) }])
    })
    await end()
    return value
  },
  [`schedule, by ${AT_ONCE} callers at once`]: async () => {
    const { engine, end } = await ours()
    let next = 0
    const caller = async () => {
      while (next < OPERATIONS) await engine.schedule([{ capability: 'a', params: paramsOf(next++) }])
    }
    const value = await rate(OPERATIONS, () => Promise.all(Array.from({ length: AT_ONCE }, caller)))
    await end()
    return value
  },
}

const bulk = {
  'plainjob.addMany': async () => {
    const queue = plainjob()
    const list = Array.from({ length: MANY }, (_, i) => paramsOf(i))
    const value = await rate(MANY, () => queue.addMany('a', list))
    queue.close()
    return value
  },
  'schedule of a list': async () => {
    const { engine, end } = await ours()
    const list = Array.from({ length: MANY }, (_, i) => ({ capability: 'a', params: paramsOf(i) }))
    const value = await rate(MANY, () => engine.schedule(list))
    await end()
    return value
  },
}

const draining = {
  'plainjob: worker, no-op': async () => {
    const queue = plainjob()
    queue.addMany(
      'a',
      Array.from({ length: MANY }, (_, i) => paramsOf(i)),
    )
    let done = 0
    let finished = () => {}
    const all = new Promise<void>(resolve => {
      finished = resolve
    })
    const worker = defineWorker(
      'a',
      async () => {
        if (++done === OPERATIONS) finished()
      },
      { queue, logger: quiet },
    )
    const value = await rate(OPERATIONS, async () => {
      void worker.start()
      await all
      void worker.stop()
    })
    await new Promise(resolve => setTimeout(resolve, 50))
    queue.close()
    return value
  },
  'plainjob: its verbs, no worker': async () => {
    const queue = plainjob()
    queue.addMany(
      'a',
      Array.from({ length: MANY }, (_, i) => paramsOf(i)),
    )
    const value = await rate(OPERATIONS, () => {
      for (let i = 0; i < OPERATIONS; i++) {
        const job = queue.getAndMarkJobAsProcessing('a') as { id: number }
        queue.getJobById(job.id)
        queue.markJobAsDone(job.id)
      }
    })
    queue.close()
    return value
  },
  [`claim ${BATCH}, settle each by itself at once`]: async () => {
    const { engine, end } = await ours()
    await engine.schedule(Array.from({ length: MANY }, (_, i) => ({ capability: 'a', params: paramsOf(i) })))
    const value = await rate(OPERATIONS, async () => {
      for (let i = 0; i < OPERATIONS; i += BATCH) {
        const { runs } = await engine.claim({ runner: 'bench', capabilities: ['a'], limit: BATCH })
        await Promise.all(
          runs.map(async ({ fence }) => {
            const startedAt = Date.now()
            const attempt = { startedAt, endedAt: Date.now() }
            await engine.settle(fence, { succeeded: true, result: { ok: true }, attempt })
          }),
        )
      }
    })
    await end()
    return value
  },
  'claim 1, settle 1, awaited': async () => {
    const { engine, end } = await ours()
    await engine.schedule(Array.from({ length: MANY }, (_, i) => ({ capability: 'a', params: paramsOf(i) })))
    const value = await rate(OPERATIONS, async () => {
      for (let i = 0; i < OPERATIONS; i++) {
        const { runs } = await engine.claim({ runner: 'bench', capabilities: ['a'], limit: 1 })
        const now = Date.now()
        const [run] = runs as [(typeof runs)[0]]
        await engine.settle(run.fence, {
          succeeded: true,
          result: { ok: true },
          attempt: { startedAt: now, endedAt: now },
        })
      }
    })
    await end()
    return value
  },
}

/** Median time of a claim of one that is due, while so many are stored, half due and half later. */
async function claimLatency(file: string, stored: number): Promise<number> {
  const { engine, end } = await ours(file)
  const now = Date.now()
  for (let from = 0; from < stored; from += 5_000)
    await engine.schedule(
      Array.from({ length: Math.min(5_000, stored - from) }, (_, i) => ({
        capability: `c${i % 4}`,
        params: paramsOf(from + i),
        dueAt: i % 2 === 0 ? now : now + 86_400_000,
        priority: (i % 3) - 1,
      })),
    )
  const times: number[] = []
  for (let i = 0; i < 300; i++) {
    const start = performance.now()
    const { runs } = await engine.claim({ runner: 'b', capabilities: ['c0', 'c1', 'c2', 'c3'], limit: 1 })
    times.push(performance.now() - start)
    for (const { fence } of runs) await engine.settle(fence, { succeeded: true })
  }
  await end()
  return median(times)
}

/** Memory of a process that runs the built library, as its users do: the sources would bring their compiler along. */
function memoryOf(file: string): string {
  const repository = fileURLToPath(new URL('..', import.meta.url))
  const built = join(root, 'built')
  const tsc = join(repository, 'node_modules', '.bin', 'tsc')
  const options = ['--outDir', built, '--emitDeclarationOnly', 'false', '--declaration', 'false']
  execFileSync(tsc, ['-p', 'tsconfig.build.json', ...options], { cwd: repository })
  writeFileSync(join(built, 'package.json'), '{"type":"module"}')
  const child = join(built, 'src', 'memory.js')
  cpSync(fileURLToPath(new URL('./ledger-memory.js', import.meta.url)), child)
  return execFileSync(process.execPath, [child, file], { encoding: 'utf8' })
}

say(
  'Settings. plainjob 0.0.14: better-sqlite3 13, WAL, synchronous = NORMAL, its own defaults; each add, claim and',
)
say(
  'mark is a commit of its own, addMany one transaction. Mulligan: node:sqlite, WAL, synchronous = NORMAL, pages of',
)
say(
  '2 KB, checkpoint every 16 MB; each resolved call is committed, calls made at the same time share a commit. Every',
)
say('operation of ours writes its events and its attempt; plainjob keeps neither.')
say(`Medians of ${ROUNDS} rounds in turns; no-op work.`)
say()
say('| | |')
say('|---|---|')
const one = await compare('submit, one by one', submitting)
const many = await compare('submit in bulk', bulk)
const drain = await compare('claim + settle', draining)
const small = await claimLatency(newFile(), 1_000)
const large = newFile()
const big = await claimLatency(large, MILLION)
say(
  `| claim of one, median | 1 thousand stored: ${(small * 1_000).toFixed(0)} µs · ${MILLION} stored: ${(big * 1_000).toFixed(0)} µs |`,
)
const memory = memoryOf(large)
say(`| memory of a process that works on ${MILLION} | ${memory.trim()} |`)
rmSync(root, { recursive: true })

const ratio = (value: number | undefined, of: number | undefined) => ((value ?? 0) / (of ?? 1)).toFixed(2)
say()
say(
  `submit one by one: ${ratio(one['schedule, awaited one by one'], one['plainjob.add'])} × plainjob, at once ${ratio(one[`schedule, by ${AT_ONCE} callers at once`], one['plainjob.add'])} ×`,
)
say(`submit in bulk: ${ratio(many['schedule of a list'], many['plainjob.addMany'])} × plainjob`)
say(
  `claim + settle: ${ratio(drain[`claim ${BATCH}, settle each by itself at once`], drain['plainjob: its verbs, no worker'])} × plainjob's verbs, ${ratio(drain[`claim ${BATCH}, settle each by itself at once`], drain['plainjob: worker, no-op'])} × its worker`,
)
say(`claim at ${MILLION}: ${(big / small).toFixed(2)} × at a thousand`)
const beside = (what: string, ours: number | undefined, theirs: number | undefined, aim: string) =>
  figure({
    what,
    unit: 'per second',
    better: 'more',
    values: { mulligan: ours ?? Number.NaN, plainjob: theirs ?? Number.NaN },
    aim,
  })
beside('submit one by one', one['schedule, awaited one by one'], one['plainjob.add'], '1 ×')
beside('submit in bulk', many['schedule of a list'], many['plainjob.addMany'], '1 ×')
beside(
  'claim and settle in batches',
  drain[`claim ${BATCH}, settle each by itself at once`],
  drain['plainjob: worker, no-op'],
  '2 ×',
)
figure({
  what: 'one claim with a million stored, beside a thousand',
  unit: 'µs',
  better: 'less',
  values: { 'a million': big * 1_000, 'a thousand': small * 1_000 },
  aim: '0.5 ×',
})
