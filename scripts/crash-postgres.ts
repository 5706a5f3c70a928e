import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '../src/queue/open.ts'
import { quietly } from '../src/time/clean-up.ts'
import { startPrivatePostgres } from '../test/ledger/postgres/private-server.ts'
import { TestProxy } from '../test/ledger/postgres/proxy.ts'
import { CrashNetwork } from './crash-network.ts'
import { type CrashQueueReport, drained, reportOf, startRunner, submit } from './crash-queue.ts'
import { Receiver } from './receiver.ts'

// The crash ledger on PostgreSQL: daemons in processes of their own share a private server. They are killed and stopped
// beyond their leases, their connections are cut or swallowed, the cable of their network is pulled where each can have a
// network of its own, and the server itself is ended as by a power cut and started
// again. None of what was submitted may be lost, settled twice, or have a verified effect twice.

export interface CrashPostgresOptions {
  minutes: number
  ops: number
  daemons?: number
  leaseMs?: number
  /** Goes on until so many were killed, however long that takes. Default 0. */
  kills?: number
  /** How often the server is ended and started again. Default 2. */
  restarts?: number
}

/** What was done, and how often. */
export interface PostgresHarms {
  kill: number
  stop: number
  cut: number
  swallow: number
  /** Cables pulled; 0 where daemons cannot have networks of their own. */
  pull: number
  restart: number
}

export type CrashPostgresReport = Omit<CrashQueueReport, 'harms'> & { harms: PostgresHarms }

/** How a daemon reaches the server. */
interface Way {
  proxy: TestProxy
  network: CrashNetwork | undefined
}

/** How long a way swallows everything, in milliseconds. */
const SWALLOW_MS = 4_000

export async function crashPostgres(options: CrashPostgresOptions): Promise<CrashPostgresReport> {
  const { minutes, ops, daemons = 6, leaseMs = 2_500, kills = 0, restarts = 2 } = options
  const server = await startPrivatePostgres(['max_connections=200'])
  if (!server) throw new Error('the programs of a PostgreSQL server are not installed')
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-crash-postgres-'))
  const receiverFile = join(folder, 'receiver.db')
  const receiver = new Receiver(receiverFile)
  const { port } = new URL(server.url)
  const ways: TestProxy[] = []
  const children = new Map<ChildProcess, Way>()
  const harms: PostgresHarms = { kill: 0, stop: 0, cut: 0, swallow: 0, pull: 0, restart: 0 }
  const ready = new Set<ChildProcess>()
  let starting = 0
  const start = async () => {
    // Each has a way of its own to the server, as each host has.
    const network = CrashNetwork.create()
    const proxy = new TestProxy({ host: '127.0.0.1', port: Number(port) })
    const way = { proxy, network }
    ways.push(proxy)
    const address = new URL(server.url)
    address.hostname = network?.address ?? '127.0.0.1'
    address.port = String(await proxy.listen(address.hostname))
    const child = startRunner(
      join(folder, `host-${ways.length}`),
      receiverFile,
      leaseMs,
      undefined,
      { CRASH_DATABASE: address.toString() },
      network?.command,
    )
    // One that has not begun yet has nothing to lose.
    child.stdout?.once('data', () => ready.add(child)).resume()
    children.set(child, way)
    child.once('exit', () => {
      children.delete(child)
      ready.delete(child)
      void proxy.close()
      network?.remove()
    })
  }
  /** One that ended by itself is replaced too. */
  const refill = () => {
    for (; children.size + starting < daemons; starting++) void start().finally(() => starting--)
  }
  const harm = async () => {
    const all = [...children].filter(([child]) => ready.has(child))
    const [child, way] = all[Math.floor(Math.random() * all.length)] ?? []
    if (!child || !way) return
    const lot = Math.random()
    if (lot < 0.6) {
      harms.kill++
      // On a busy machine its end takes a while: it is not killed again meanwhile.
      ready.delete(child)
      child.kill('SIGKILL')
    } else if (lot < 0.75) {
      harms.stop++
      child.kill('SIGSTOP')
      void delay(leaseMs * (1.5 + 2 * Math.random())).then(() => child.kill('SIGCONT'))
    } else if (lot < 0.9) {
      harms.cut++
      way.proxy.cut()
    } else if (way.network && lot < 0.95) {
      harms.pull++
      way.network.pull()
      void delay(SWALLOW_MS).then(() => way.network?.plug())
    } else {
      harms.swallow++
      way.proxy.swallow()
      void delay(SWALLOW_MS).then(() => way.proxy.heal())
    }
  }
  const queue = await openQueue({ data: join(folder, 'submitter'), database: server.url })
  try {
    for (let i = 0; i < daemons; i++) await start()
    const begun = performance.now()
    const end = begun + minutes * 60_000
    const ids: string[] = []
    const submitting = submit(queue, ids, ops, end)
    while (performance.now() < end || harms.kill < kills || harms.restart < restarts) {
      await delay(100 + Math.random() * 300)
      const passed = (performance.now() - begun) / (end - begun)
      if (harms.restart < restarts && passed > (harms.restart + 1) / (restarts + 1)) {
        harms.restart++
        await server.restart(500 + Math.random() * 1_500)
      } else await harm()
      refill()
    }
    await submitting
    await drained(queue, ops, refill)
    return await reportOf(queue, ids, receiver, harms)
  } finally {
    for (const [child, { network }] of children) {
      child.kill('SIGKILL')
      void quietly(() => network?.remove())
    }
    await quietly(() => queue.close())
    await quietly(() => Promise.all(ways.map(way => way.close())))
    void quietly(() => receiver.close())
    await quietly(() => server.stop())
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}
