import pg, {
  type ClientConfig,
  type Client as PgClient,
  type Pool,
  type PoolClient,
  type PoolConfig,
} from 'pg'
import type { PostgresAddress } from './address.ts'
import { quoted } from './migrations.ts'
import { isLost, ofDriver } from './postgres-error.ts'

/** Time limit for connecting, in milliseconds. */
const CONNECT_MS = 5_000
/** How much later than the server we give up at most, in milliseconds. */
export const LATE_MS = 5_000
/** After this time the server ends a connection that is idle in a transaction, in milliseconds. */
export const IDLE_IN_TRANSACTION_MS = 15_000

/** So many connections are opened as they are needed. */
const FEW = 2
/** How long work waits for one of the open connections before it opens a further one, in milliseconds. */
const WAIT_FOR_OPEN_MS = 20

/** Which server, and how its connections are used. */
export interface ConnectionsOptions {
  place: PostgresAddress
  /** Most connections, besides the one that listens. */
  connections: number
  /** Time limit of the server for one statement; a connection that stays silent a little longer is given up. Milliseconds. */
  statementMs: number
}

/** A bounded pool of connections to one server. A broken connection is replaced when the next is needed. */
export class Connections {
  readonly #options: ConnectionsOptions
  #pool: Pool | undefined
  #inUse = 0
  /** Work that waits for one of the open connections. */
  readonly #waiting: (() => void)[] = []

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** Works on a connection of its own, which is closed afterwards if it broke or was discarded. */
  async on<T>(work: (client: PoolClient, discard: (why: Error) => void) => Promise<T>): Promise<T> {
    this.#pool ??= this.#open()
    if (this.#inUse >= Math.max(FEW, this.#pool.totalCount)) await this.#oneOfThese()
    this.#inUse++
    try {
      return await this.#with(await ofDriver(this.#pool.connect()), work)
    } finally {
      this.#inUse--
      this.#waiting.shift()?.()
    }
  }

  /**
   * Waits a moment for a connection to become free: the processor time for a new one, with plans of its own, would do the work of
   * thousands of statements.
   */
  #oneOfThese(): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        resolve()
      }, WAIT_FOR_OPEN_MS)
      this.#waiting.push(go)
    })
  }

  async #with<T>(
    client: PoolClient,
    work: (client: PoolClient, discard: (why: Error) => void) => Promise<T>,
  ): Promise<T> {
    let broken: Error | undefined
    const onError = (error: Error) => {
      broken = error
    }
    client.on('error', onError)
    try {
      return await work(client, onError)
    } catch (error) {
      if (isLost(error)) broken = error as Error
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  /** A separate connection; the caller ends it. */
  async alone(): Promise<PgClient> {
    const client = new pg.Client(this.#config())
    await client.connect()
    return client
  }

  async close(): Promise<void> {
    await this.#pool?.end()
  }

  #open(): Pool {
    const pool = new pg.Pool({
      ...this.#config(),
      max: this.#options.connections,
      pipeline: true,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    } as PoolConfig)
    // An idle connection was lost: the next request opens another.
    pool.on('error', () => {})
    return pool
  }

  #config(): ClientConfig {
    const { place, statementMs } = this.#options
    return {
      connectionString: place.connectionString,
      ssl: place.tls,
      application_name: 'mulligan',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      // The server gives up first, so our timeout means that it does not answer at all.
      query_timeout: statementMs + Math.min(statementMs, LATE_MS),
      // Rows are found by key. A plan made while a table is small is kept, and must not read all of it once it is large.
      options: `${place.options} -c enable_seqscan=off -c search_path=${quoted(place.schema)} -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS} -c jit=off -c default_transaction_read_only=on`,
    } as ClientConfig
  }
}
