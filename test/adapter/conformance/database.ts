import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** A separate schema in a database, for one test file. */
export class TestSchema {
  readonly name: string
  readonly connectionString: string

  constructor(connectionString: string, engine: string) {
    this.connectionString = connectionString
    this.name = `mulligan_${engine}_${randomUUID().slice(0, 8)}`
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

  async drop(): Promise<void> {
    await this.query(`set client_min_messages = warning; drop schema if exists ${this.name} cascade`)
  }
}
