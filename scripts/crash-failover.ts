import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '../src/queue/open.ts'
import { quietly } from '../src/time/clean-up.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../test/ledger/postgres/private-server.ts'
import { TestProxy } from '../test/ledger/postgres/proxy.ts'
import { type CrashQueueReport, drained, reportOf, startRunner, submit } from './crash-queue.ts'
import { Receiver } from './receiver.ts'

// The crash test with a standby: again and again the server is ended as by a power cut, its standby takes over, and gets a
// standby of its own, while daemons work, are killed, and reach whichever server is in charge at one address. A synchronous
// standby has every commit, so nothing may be lost. An asynchronous one is cut off shortly before: what was committed
// meanwhile is lost, and the report says what that led to.

export interface CrashFailoverOptions {
  minutes: number
  ops: number
  /** How often the standby takes over. */
  failovers: number
  kind: 'synchronous' | 'asynchronous'
  daemons?: number
  leaseMs?: number
}

export interface FailoverHarms {
  kill: number
  failover: number
}

export type CrashFailoverReport = Omit<CrashQueueReport, 'harms'> & { harms: FailoverHarms }

/** How long a standby lags behind when it takes over, in milliseconds. */
const LAG_MS = 500

export async function crashFailover(options: CrashFailoverOptions): Promise<CrashFailoverReport> {
  const { minutes, ops, failovers, kind, daemons = 4, leaseMs = 2_500 } = options
  const first = await startPrivatePostgres(['max_connections=200'])
  if (!first) throw new Error('the programs of a PostgreSQL server are not installed')
  let server: PrivatePostgres = first
  let standby = await server.standby(kind)
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-crash-failover-'))
  const receiverFile = join(folder, 'receiver.db')
  const receiver = new Receiver(receiverFile)
  // One address that follows the server in charge, as a virtual address or a proxy does.
  const way = new TestProxy(targetOf(server))
  const address = new URL(server.url)
  address.port = String(await way.listen())
  const database = address.toString()
  const children = new Set<ChildProcess>()
  const harms: FailoverHarms = { kill: 0, failover: 0 }
  let started = 0
  const refill = () => {
    while (children.size < daemons) {
      const data = join(folder, `host-${++started}`)
      const child = startRunner(data, receiverFile, leaseMs, undefined, { CRASH_DATABASE: database })
      child.stdout?.resume()
      children.add(child)
      child.once('exit', () => children.delete(child))
    }
  }
  const failover = async () => {
    if (kind === 'asynchronous') {
      await standby.detach()
      await delay(LAG_MS)
    }
    await server.stop()
    await delay(Math.random() * 1_500)
    await standby.promote()
    server = standby
    way.switchTo(targetOf(server))
    harms.failover++
    standby = await server.standby(kind)
  }
  const queue = await openQueue({ data: join(folder, 'submitter'), database })
  try {
    refill()
    const begun = performance.now()
    const end = begun + minutes * 60_000
    const ids: string[] = []
    const submitting = submit(queue, ids, ops, end)
    while (performance.now() < end || harms.failover < failovers) {
      await delay(200 + Math.random() * 600)
      const passed = (performance.now() - begun) / (end - begun)
      if (harms.failover < failovers && passed > (harms.failover + 1) / (failovers + 1)) await failover()
      else if (Math.random() < 0.4) {
        const all = [...children]
        if (all[Math.floor(Math.random() * all.length)]?.kill('SIGKILL')) harms.kill++
      }
      refill()
    }
    await submitting
    const { states } = await queue.ledger.counts()
    const kept = Object.values(states).reduce((sum, count) => sum + count, 0)
    await drained(queue, kept, refill)
    return await reportOf(queue, ids, receiver, harms)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await quietly(() => queue.close())
    await quietly(() => way.close())
    void quietly(() => receiver.close())
    await quietly(() => standby.stop())
    await quietly(() => server.stop())
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}

function targetOf({ url }: PrivatePostgres): { host: string; port: number } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}
