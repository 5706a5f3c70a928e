import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { realTime, type Time } from '../../time/time.ts'
import type { Database } from './database.ts'

/** What a NOTIFY about a ledger in this schema is sent to. */
export function channelOf(schema: string): string {
  return `mulligan_${schema}`
}

/** Called after something was written: here, or (`own` false) by another process. */
export type ChangeListener = (own: boolean) => void

/** Between two words to the other processes, in milliseconds: one tells them of everything written meanwhile. */
const TELL_EVERY_MS = 20
/** Looks by itself as often as this, in milliseconds: words may be lost with a connection. */
const POLL_MS = 1_000
/** After the connection that listens was lost, in milliseconds. */
const LISTEN_AGAIN_MS = 1_000

/**
 * Tells whoever wants to know that something was written. Other processes hear it by NOTIFY, which is sent after a commit
 * and not within it: within, all commits of a database would wait for each other. What is lost with a process or a
 * connection is found by looking once a second at the two numbers that every write moves.
 */
export class ChangeNotice {
  readonly #database: Database
  readonly #time: Time
  readonly #channel: string
  readonly #me = randomUUID()
  readonly #listeners = new Set<ChangeListener>()
  #client: Client | undefined
  #connecting: Promise<void> | undefined
  #seen: string | undefined
  #stopPolling: (() => void) | undefined
  #stopTelling: (() => void) | undefined
  #stopWaiting: (() => void) | undefined
  #isClosed = false

  constructor(database: Database, time: Time) {
    this.#database = database
    this.#time = time
    this.#channel = channelOf(database.place.schema)
  }

  listen(listener: ChangeListener): () => void {
    const entry: ChangeListener = own => listener(own)
    this.#listeners.add(entry)
    if (!this.#client) this.#connect()
    if (!this.#stopPolling) this.#poll()
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.#letGo()
    }
  }

  /** Something of this process was committed. */
  own(): void {
    if (this.#isClosed) return
    this.#tell(true)
    this.#stopTelling ??= (realTime.inBackground ?? realTime.after)(TELL_EVERY_MS, () => {
      this.#stopTelling = undefined
      void this.#tellOthers()
    })
  }

  /** Tells the others what they have not been told, and lets go. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const hasNews = this.#stopTelling !== undefined
    this.#stopTelling?.()
    this.#listeners.clear()
    this.#letGo()
    await this.#connecting
    if (hasNews) await this.#tellOthers()
  }

  async #tellOthers(): Promise<void> {
    try {
      await this.#database.read(sql => sql.run('SELECT pg_notify($1, $2)', [this.#channel, this.#me]))
    } catch {
      // They look by themselves.
    }
  }

  #connect(): void {
    if (this.#connecting || this.#isClosed) return
    this.#connecting = this.#listenThere()
      .catch(() => this.#connectLater())
      .finally(() => {
        this.#connecting = undefined
      })
  }

  async #listenThere(): Promise<void> {
    const client = await this.#database.connectAlone()
    client.on('error', () => {})
    client.on('end', () => {
      if (this.#client !== client) return
      this.#client = undefined
      this.#connectLater()
    })
    if (this.#isClosed || this.#listeners.size === 0) {
      await client.end().catch(() => {})
      return
    }
    this.#client = client
    client.on('notification', ({ payload }) => {
      if (payload !== this.#me) this.#tell(false)
    })
    await client.query(`LISTEN "${this.#channel}"`)
  }

  #connectLater(): void {
    if (this.#isClosed || this.#listeners.size === 0) return
    this.#stopWaiting = (realTime.inBackground ?? realTime.after)(LISTEN_AGAIN_MS, () => this.#connect())
  }

  #poll(): void {
    const after = this.#time.inBackground ?? this.#time.after
    this.#stopPolling = after.call(this.#time, POLL_MS, () => {
      if (this.#isClosed || this.#listeners.size === 0) return
      void this.#look().finally(() => {
        if (this.#stopPolling) this.#poll()
      })
    })
  }

  async #look(): Promise<void> {
    try {
      const row = await this.#database.read(sql =>
        sql.row<{ at: string }>(
          `SELECT (SELECT last_value FROM numbers) || ' ' || (SELECT last_value FROM changes) AS at`,
        ),
      )
      const before = this.#seen
      this.#seen = row?.at
      if (before !== this.#seen) this.#tell(false)
    } catch {
      // Whoever reads next meets the error and reports it; when the server answers again, all look anew.
      this.#seen = undefined
    }
  }

  #letGo(): void {
    this.#stopPolling?.()
    this.#stopWaiting?.()
    this.#stopPolling = this.#stopWaiting = undefined
    const client = this.#client
    this.#client = undefined
    void client?.end().catch(() => {})
  }

  #tell(own: boolean): void {
    for (const listener of [...this.#listeners])
      try {
        listener(own)
      } catch (error) {
        // The others have to hear it all the same.
        process.emitWarning(`a listener of the ledger threw: ${error}`, { code: 'MULLIGAN_LEDGER' })
      }
  }
}
