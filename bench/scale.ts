import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withVersion } from './earlier-version.ts'
import { figure } from './figures.ts'
import { buildDaemon } from './scale-build.ts'
import { claimMs } from './scale-claim.ts'
import { ours, type ScalePeer, scalePeers } from './scale-peers.ts'
import { ServerTime } from './scale-processor.ts'
import { type ScaleServers, startServers } from './scale-servers.ts'
import { printProfile, WrittenBytes } from './scale-written.ts'

// Submitting and draining the same jobs that do nothing, by 1, 2 and 4 daemons in processes of their own, built as the package
// is, with the same durability: Mulligan with its whole history, pg-boss and graphile-worker on one PostgreSQL, BullMQ on a
// Redis that writes each command to the disk before it answers. With `--before COMMIT` also an earlier version of Mulligan, in
// turns with this one. Then what a claim costs with a thousand and with a million operations stored.

const { values } = parseArgs({
  args: process.argv.slice(process.argv[1]?.endsWith('scale.ts') ? 2 : 3),
  options: {
    ops: { type: 'string', default: '20000' },
    daemons: { type: 'string', default: '1,2,4' },
    stored: { type: 'string', default: '1000,1000000' },
    peers: { type: 'string', default: 'pg-boss,mulligan,graphile-worker,bullmq' },
    rounds: { type: 'string', default: '1' },
    before: { type: 'string' },
  },
})
const OPS = Number(values.ops)
const BATCH = 100
const HERE = fileURLToPath(new URL('..', import.meta.url))

interface Progress {
  done: number
  firstAt: number
  lastAt: number
  /** Of processor time. */
  micros: number
}

async function submit(peer: ScalePeer, name: string): Promise<number> {
  const queue = await peer.open(name)
  const begun = performance.now()
  for (let from = 0; from < OPS; from += BATCH)
    await queue.send(Array.from({ length: Math.min(BATCH, OPS - from) }, (_, n) => ({ n: from + n })))
  const seconds = (performance.now() - begun) / 1_000
  await queue.close()
  return OPS / seconds
}

/** Operations a second that these daemons drain together, from the first one done to the last, and their processor time for each. */
async function drain(
  { name: peer, address, root }: ScalePeer,
  name: string,
  daemons: number,
  builds: ReadonlyMap<string | undefined, string>,
): Promise<{ rate: number; micros: number }> {
  const engine = root === undefined ? peer : 'mulligan'
  const cpuProf =
    process.env.CPU_PROF && peer === 'mulligan' ? ['--cpu-prof', '--cpu-prof-dir=/tmp/scale-prof'] : []
  const parts = Array.from({ length: daemons }, () => {
    const child = spawn(process.execPath, [...cpuProf, builds.get(root) as string, engine, address, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    return { child, lines: lines[Symbol.asyncIterator](), last: undefined as Progress | undefined }
  })
  for (const { lines } of parts) await lines.next()
  for (const { child } of parts) child.stdin.write('go\n')
  let isStopped = false
  await Promise.all(
    parts.map(async part => {
      for (;;) {
        const { value, done } = await part.lines.next()
        if (done) return
        if (!value.startsWith('{"done"')) continue
        part.last = JSON.parse(value) as Progress
        if (isStopped || total(parts) < OPS) continue
        isStopped = true
        for (const { child } of parts) child.stdin.write('stop\n')
      }
    }),
  )
  const done = total(parts)
  if (done !== OPS) throw new Error(`${peer} did ${done} of ${OPS}`)
  const all = parts.flatMap(({ last }) => (last && last.done > 0 ? [last] : []))
  const begun = Math.min(...all.map(({ firstAt }) => firstAt))
  const seconds = (Math.max(...all.map(({ lastAt }) => lastAt)) - begun) / 1_000
  return { rate: OPS / seconds, micros: all.reduce((sum, { micros }) => sum + micros, 0) / OPS }
}

function total(parts: readonly { last: Progress | undefined }[]): number {
  return parts.reduce((sum, { last }) => sum + (last?.done ?? 0), 0)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
}

async function measure(servers: ScaleServers, before: string | undefined): Promise<void> {
  const peers = [...scalePeers(servers, folder)].filter(({ name }) => values.peers.split(',').includes(name))
  if (before !== undefined) peers.push(ours(servers.postgres, folder, 'before', before))
  const builds = new Map([[undefined, await buildDaemon(HERE)] as [string | undefined, string]])
  if (before !== undefined) builds.set(before, await buildDaemon(before))
  const counts = values.daemons.split(',').filter(Boolean).map(Number)
  const rates = new Map<string, { submit: number[]; drain: number[]; micros: number[] }>()
  for (let round = 0; round < Number(values.rounds); round++)
    for (const daemons of counts)
      for (const peer of peers) {
        const name = `scale_${randomBytes(4).toString('hex')}`
        const written = new WrittenBytes(servers.postgres)
        await written.begin()
        const submitted = await submit(peer, name)
        await written.mark()
        const server = new ServerTime(servers.postgres)
        await server.begin()
        const { rate: drained, micros } = await drain(peer, name, daemons, builds)
        const serverMicros = (await server.end()) / OPS
        if (peer.name === 'mulligan' && round === 0 && daemons === counts[0])
          process.stdout.write(`${await written.inWords(name, OPS)}\n`)
        await written.end()
        if (process.env.PROFILE && peer.name !== 'bullmq') await printProfile(servers.postgres)
        await peer.drop(name)
        const key = `${peer.name} ${daemons}`
        const known = rates.get(key) ?? { submit: [], drain: [], micros: [] }
        rates.set(key, known)
        known.submit.push(submitted)
        known.drain.push(drained)
        known.micros.push(micros + serverMicros)
        process.stdout.write(
          `${peer.name.padEnd(16)} ${daemons} daemons: submit ${Math.round(submitted)}/s, drain ${Math.round(drained)}/s, µs of processor time each: daemons ${micros.toFixed(0)}, PostgreSQL ${serverMicros.toFixed(0)}\n`,
        )
      }
  process.stdout.write(`\nmedians of ${values.rounds}, ${OPS} operations, submitted in batches of ${BATCH}\n`)
  for (const [key, { submit: submits, drain: drains, micros }] of rates) {
    const ratios = ['pg-boss', 'before'].flatMap(other => {
      const raw = rates.get(key.replace('mulligan', other))
      if (!raw || !key.startsWith('mulligan')) return []
      const of = (mine: readonly number[], theirs: readonly number[]) =>
        median(mine.map((each, round) => each / (theirs[round] as number))).toFixed(2)
      return `; of ${other}: submit ${of(submits, raw.submit)}, drain ${of(drains, raw.drain)}, by processor time ${of(raw.micros, micros)}`
    })
    process.stdout.write(
      `${key.padEnd(18)}: submit ${Math.round(median(submits))}/s, drain ${Math.round(median(drains))}/s, ${median(micros).toFixed(0)} µs of processor time each${ratios.join('')}\n`,
    )
  }
  for (const daemons of counts)
    for (const [what, field] of [
      ['submitted', 'submit'],
      ['drained', 'drain'],
    ] as const)
      figure({
        what: `${what}, ${daemons} ${daemons === 1 ? 'daemon' : 'daemons'}`,
        unit: 'per second',
        better: 'more',
        values: Object.fromEntries(
          ['mulligan', ...peers.map(({ name }) => name)].map(name => [
            name,
            median(rates.get(`${name} ${daemons}`)?.[field] ?? []),
          ]),
        ),
      })
  const claims = []
  for (const stored of values.stored.split(',').filter(Boolean).map(Number)) {
    const ms = await claimMs(servers.postgres, stored)
    claims.push(ms)
    process.stdout.write(`a claim of 10 with ${stored} stored: ${ms.toFixed(2)} ms\n`)
  }
  if (claims.length > 1)
    process.stdout.write(`ratio ${((claims.at(-1) as number) / (claims[0] as number)).toFixed(2)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'mulligan-scale-'))
const servers = await startServers(folder)
try {
  if (values.before === undefined) await measure(servers, undefined)
  else await withVersion(HERE, values.before, root => measure(servers, root))
} finally {
  await servers.stop()
  rmSync(folder, { recursive: true, force: true })
}
