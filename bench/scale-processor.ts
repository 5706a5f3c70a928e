import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Ticks a second in which Linux counts processor time. */
const TICKS = 100

/** Processor time of a PostgreSQL with all its processes that have ended, in microseconds. */
export class ServerTime {
  readonly #database: string
  #pid = 0
  #begun = 0

  constructor(database: string) {
    this.#database = database
  }

  async begin(): Promise<void> {
    this.#pid = Number(
      (await this.#ask("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")) as string,
    )
    this.#begun = await this.#micros()
  }

  async end(): Promise<number> {
    return (await this.#micros()) - this.#begun
  }

  /** A process of the server counts once it has ended, so all clients have to be gone. */
  async #micros(): Promise<number> {
    const others = `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
      AND application_name <> 'scale'`
    while (Number(await this.#ask(others)) > 0) await delay(50)
    const fields = readFileSync(`/proc/${this.#pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * (1_000_000 / TICKS)
  }

  async #ask(text: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: this.#database, application_name: 'scale' })
    await client.connect()
    const { rows } = await client.query({ text, rowMode: 'array' })
    await client.end()
    return (rows as unknown[][])[0]?.[0]
  }
}
