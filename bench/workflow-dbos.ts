import { randomBytes } from 'node:crypto'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Client } from 'pg'

/** What the measurement gives, and what it is timed with. */
interface DbosOptions<C> {
  runs: number
  steps: number
  timed: (count: number, work: () => Promise<void>) => Promise<C>
}

/** Runs of DBOS that are under way at the same time; more only wait for its connections. */
const AT_ONCE = 32

/** The same chain with DBOS, which keeps each step in PostgreSQL; a sentence if it cannot be measured here. */
export async function dbosChain<C>({ runs, steps, timed }: DbosOptions<C>): Promise<C | string> {
  const server = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const admin = new Client({ connectionString: server })
  try {
    await admin.connect()
  } catch (error) {
    return `no PostgreSQL (DATABASE_URL): ${(error as Error).message}`
  }
  const name = `mulligan_bench_${randomBytes(4).toString('hex')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  try {
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url.href, logLevel: 'error' })
    chain ??= DBOS.registerWorkflow(
      async (count: number) => {
        for (let step = 0; step < count; step++) await DBOS.runStep(async () => null, { name: `s${step}` })
      },
      { name: 'chain' },
    )
    await DBOS.launch()
    return await timed(runs * steps, async () => {
      let left = runs
      const runner = async () => {
        while (left-- > 0) await (await DBOS.startWorkflow(chain as Chain)(steps)).getResult()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, runner))
    })
  } finally {
    await DBOS.shutdown()
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end()
  }
}

type Chain = (count: number) => Promise<void>
let chain: Chain | undefined
