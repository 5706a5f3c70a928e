import pg from 'pg'

/** What the server wrote to its log while operations were submitted and drained, and what is left of them on the disk. */
export class WrittenBytes {
  readonly #client: pg.Client
  #marks: bigint[] = []

  constructor(database: string) {
    this.#client = new pg.Client({ connectionString: database, application_name: 'scale' })
  }

  async begin(): Promise<void> {
    await this.#client.connect()
    await this.mark()
  }

  async mark(): Promise<void> {
    const { rows } = await this.#client.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes")
    this.#marks.push(BigInt(rows[0].bytes))
  }

  async inWords(schema: string, operations: number): Promise<string> {
    await this.mark()
    const [begun, submitted, drained] = this.#marks as [bigint, bigint, bigint]
    // The rest is space that the next operations use.
    await this.#client.query(`VACUUM ANALYZE ${schema}.operations`)
    const { rows } = await this.#client.query(
      `SELECT c.relname AS name, pg_table_size(c.oid) AS heap, pg_indexes_size(c.oid) AS indices FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'
       AND c.relname IN ('operations', 'attempts', 'events') ORDER BY 1`,
      [schema],
    )
    const each = (bytes: bigint) => Math.round(Number(bytes) / operations)
    const tables = rows.map(
      ({ name, heap, indices }) =>
        `${name} ${each(BigInt(heap))} bytes and ${each(BigInt(indices))} of indices`,
    )
    return `per operation: WAL ${each(submitted - begun)} bytes to submit, ${each(drained - submitted)} to drain; stored ${tables.join(', ')}`
  }

  async end(): Promise<void> {
    await this.#client.end()
  }
}

/** The statements that took the server longest since the last time; needs `PROFILE=1`. */
export async function printProfile(database: string): Promise<void> {
  const client = new pg.Client(database)
  await client.connect()
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  const { rows } = await client.query(
    `SELECT round(total_exec_time) AS ms, round(total_plan_time) AS plan, calls, rows, round((mean_exec_time)::numeric, 3) AS mean,
     left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query FROM pg_stat_statements ORDER BY total_exec_time + total_plan_time DESC LIMIT 24`,
  )
  for (const row of rows) process.stdout.write(`  ${Object.values(row).join(' | ')}\n`)
  await client.query('SELECT pg_stat_statements_reset()')
  await client.end()
}
