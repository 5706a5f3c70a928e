import { randomBytes } from 'node:crypto'
import { PostgresEngine } from '../src/engine/postgres/postgres-engine.ts'
import { openPostgresLedger } from '../src/ledger/postgres/postgres-ledger.ts'
import { dropSchemas } from './scale-peers.ts'

/** Milliseconds that a claim of ten takes, in the middle, with this many operations stored. */
export async function claimMs(database: string, stored: number): Promise<number> {
  const name = `scale_${randomBytes(4).toString('hex')}`
  const ledger = await openPostgresLedger({ database: `${database}?schema=${name}` })
  const engine = new PostgresEngine({ ledger })
  // Ended ones, as they lie there after years; made in SQL, because only their number matters here.
  await ledger.database.transaction(sql =>
    sql.exec(`SET LOCAL statement_timeout = 0; INSERT INTO operations (id, capability, params, provider, rank, state, due_at, since,
      waiting, mode, created_at, updated_at, ended_at, source, last_event, run) SELECT n, 'nothing', '{}', '', 0, 'succeeded', n, n,
      'first', 'again', n, n, n, 'submit', n, 1 FROM generate_series(1, ${stored}) n;
      SELECT setval('numbers', ${stored})`),
  )
  await ledger.database.read(sql => sql.exec('VACUUM ANALYZE operations'))
  await engine.schedule(Array.from({ length: 5_000 }, (_, n) => ({ capability: 'nothing', params: { n } })))
  const times: number[] = []
  for (let round = 0; round < 400; round++) {
    const begun = performance.now()
    await engine.claim({ runner: 'r', capabilities: ['nothing'], limit: 10 })
    times.push(performance.now() - begun)
  }
  await engine.close()
  await ledger.close()
  await dropSchemas(database, name)
  return times.toSorted((a, b) => a - b)[200] as number
}
