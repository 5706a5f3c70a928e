import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Queue as BullQueue } from 'bullmq'
import { makeWorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { PgBossEngine } from '../src/engine/pg-boss/pg-boss-engine.ts'
import { openPostgresLedger } from '../src/ledger/postgres/postgres-ledger.ts'
import { openQueue } from '../src/queue/open.ts'

// Submitting and draining the same jobs that do nothing, by 1, 2 and 4 daemons in processes of their own, on the same server
// with the same durability: Mulligan with its whole history, pg-boss, graphile-worker, and BullMQ on Redis (which keeps in
// memory what the others have on disk). Then what a claim costs with a thousand and with a million operations stored.

const { values } = parseArgs({
  options: {
    ops: { type: 'string', default: '20000' },
    daemons: { type: 'string', default: '1,2,4' },
    stored: { type: 'string', default: '1000,1000000' },
  },
})
const OPS = Number(values.ops)
const DATABASE = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const REDIS = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const BATCH = 100
const PART = fileURLToPath(new URL('./scale-part.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mulligan-scale-'))

interface Peer {
  name: string
  address: string
  /** Makes the queue `name`; sends this many; ends. */
  submit(name: string, count: number): Promise<void>
  drop(name: string): Promise<void>
}

const dropSchemas = async (...names: string[]) => {
  const client = new pg.Client(DATABASE)
  await client.connect()
  for (const name of names) await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
  await client.end()
}
const batches = function* (count: number) {
  for (let from = 0; from < count; from += BATCH)
    yield Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => ({ n: from + n }))
}

const peers: readonly Peer[] = [
  {
    name: 'mulligan',
    address: DATABASE,
    submit: async (name, count) => {
      const queue = await openQueue({ data: folder, database: `${DATABASE}?schema=${name}` })
      for (const some of batches(count))
        await queue.submitMany(some.map(params => ({ capability: 'nothing', params, unchecked: true })))
      await queue.close()
    },
    drop: name => dropSchemas(name, `${name}_jobs`),
  },
  {
    name: 'pg-boss',
    address: DATABASE,
    submit: async (name, count) => {
      const boss = new PgBoss({ connectionString: DATABASE, schema: name, supervise: false, schedule: false })
      await boss.start()
      await boss.createQueue('nothing')
      for (const some of batches(count))
        await boss.insert(
          'nothing',
          some.map(data => ({ data })),
        )
      await boss.stop({ graceful: false })
    },
    drop: name => dropSchemas(name),
  },
  {
    name: 'graphile-worker',
    address: DATABASE,
    submit: async (name, count) => {
      const utils = await makeWorkerUtils({ connectionString: DATABASE, schema: name })
      await utils.migrate()
      for (const some of batches(count))
        await utils.addJobs(some.map(payload => ({ identifier: 'nothing', payload })))
      await utils.release()
    },
    drop: name => dropSchemas(name),
  },
  {
    name: 'bullmq',
    address: REDIS,
    submit: async (name, count) => {
      const queue = new BullQueue(name, { connection: { url: REDIS, maxRetriesPerRequest: null } })
      for (const some of batches(count)) await queue.addBulk(some.map(data => ({ name: 'nothing', data })))
      await queue.close()
    },
    drop: async name => {
      const queue = new BullQueue(name, { connection: { url: REDIS, maxRetriesPerRequest: null } })
      await queue.obliterate({ force: true })
      await queue.close()
    },
  },
]

/** Operations a second that these daemons drain together, from the word to begin. */
async function drain({ name: engine, address }: Peer, name: string, daemons: number): Promise<number> {
  const parts = Array.from({ length: daemons }, () => {
    const child = spawn(process.execPath, ['--conditions=mulligan-source', PART, engine, address, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    return { child, lines: lines[Symbol.asyncIterator]() }
  })
  for (const { lines } of parts) await lines.next()
  const begun = Date.now()
  for (const { child } of parts) child.stdin.write('go\n')
  const ended = await Promise.all(
    parts.map(async ({ lines }) => {
      // Some say more than they are asked.
      for (;;) {
        const line = (await lines.next()).value as string
        if (line.startsWith('{"done"')) return JSON.parse(line) as { done: number; lastAt: number }
      }
    }),
  )
  const done = ended.reduce((sum, part) => sum + part.done, 0)
  if (done < OPS) throw new Error(`${engine} did ${done} of ${OPS}`)
  return OPS / ((Math.max(...ended.map(({ lastAt }) => lastAt)) - begun) / 1_000)
}

async function claimMs(stored: number): Promise<number> {
  const name = `scale_${randomBytes(4).toString('hex')}`
  const ledger = await openPostgresLedger({ database: `${DATABASE}?schema=${name}` })
  const engine = new PgBossEngine({ ledger })
  await engine.open()
  // Ended ones, as they lie there after years; made in SQL, because only their number matters here.
  await ledger.database.transaction(sql =>
    sql.exec(`SET LOCAL statement_timeout = 0; INSERT INTO operations (id, capability, params, provider, rank, state, due_at, since,
      waiting, mode, created_at, updated_at, ended_at, source, last_event, run) SELECT n, 'nothing', '{}', '', 0, 'succeeded', n, n,
      'first', 'again', n, n, n, 'submit', n, 1 FROM generate_series(1, ${stored}) n;
      SELECT setval('numbers', ${stored})`),
  )
  await ledger.database.aside('ANALYZE operations')
  await engine.schedule(Array.from({ length: 2_000 }, (_, n) => ({ capability: 'nothing', params: { n } })))
  const times: number[] = []
  for (let round = 0; round < 100; round++) {
    const begun = performance.now()
    await engine.claim({ runner: 'r', capabilities: ['nothing'], limit: 10 })
    times.push(performance.now() - begun)
  }
  await engine.close()
  await ledger.close()
  await dropSchemas(name, `${name}_jobs`)
  return times.sort((a, b) => a - b)[50] as number
}

try {
  const raw = new Map<number, number>()
  for (const peer of [...peers].sort((a, b) => Number(b.name === 'pg-boss') - Number(a.name === 'pg-boss')))
    for (const daemons of values.daemons.split(',').map(Number)) {
      const name = `scale_${randomBytes(4).toString('hex')}`
      const begun = performance.now()
      await peer.submit(name, OPS)
      const submitted = OPS / ((performance.now() - begun) / 1_000)
      const drained = await drain(peer, name, daemons)
      await peer.drop(name)
      if (peer.name === 'pg-boss') raw.set(daemons, drained)
      const ratio =
        peer.name === 'mulligan' ? `, ${(drained / (raw.get(daemons) ?? 1)).toFixed(2)} of pg-boss` : ''
      process.stdout.write(
        `${peer.name.padEnd(16)} ${daemons} daemons: submit ${Math.round(submitted)}/s in batches of ${BATCH}, drain ${Math.round(drained)}/s${ratio}\n`,
      )
    }
  const claims = []
  for (const stored of values.stored.split(',').map(Number)) {
    const ms = await claimMs(stored)
    claims.push(ms)
    process.stdout.write(`a claim of 10 with ${stored} stored: ${ms.toFixed(2)} ms\n`)
  }
  process.stdout.write(`ratio ${((claims.at(-1) as number) / (claims[0] as number)).toFixed(2)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
