import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** A separate schema in a database, for one test file. */
export class TestSchema {
  readonly name: string
  readonly connectionString: string
  /** Where the database of its own was created, if it has one. */
  readonly #server: TestSchema | undefined

  constructor(connectionString: string, engine: string, server?: TestSchema) {
    this.connectionString = connectionString
    this.name = server?.name ?? `mulligan_${engine}_${randomUUID().slice(0, 8)}`
    this.#server = server
  }

  /**
   * A schema in a database of its own. Graphile-worker needs one: when any schema of a database is migrated, it stops the
   * workers of all.
   */
  static async alone(connectionString: string, engine: string): Promise<TestSchema> {
    const server = new TestSchema(connectionString, engine)
    await server.query(`create database ${server.name}`)
    return new TestSchema(databaseAt(connectionString, server.name), engine, server)
  }

  async query(text: string, values: unknown[] = []): Promise<Record<string, never>[]> {
    return this.within(async client => (await client.query(text, values)).rows)
  }

  async within<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.connectionString })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  /**
   * Until the engine's connections are closed, for 10 s at most: one that the server ends meanwhile throws where nobody
   * catches it.
   */
  async #untilLeft(server: TestSchema): Promise<void> {
    await server.within(async client => {
      for (let look = 0; look < 100; look++) {
        const { rowCount } = await client.query('select 1 from pg_stat_activity where datname = $1', [
          this.name,
        ])
        if (rowCount === 0) return
        await client.query('select pg_sleep(0.1)')
      }
    })
  }

  async drop(): Promise<void> {
    if (this.#server) {
      await this.#untilLeft(this.#server)
      await this.#server.query(`drop database if exists ${this.name} with (force)`)
    } else await this.query(`set client_min_messages = warning; drop schema if exists ${this.name} cascade`)
  }
}

function databaseAt(connectionString: string, name: string): string {
  const url = new URL(connectionString)
  url.pathname = `/${name}`
  return url.href
}
