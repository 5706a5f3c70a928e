import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { realTime, type Time } from '../../time/time.ts'
import { tellListeners } from '../tell-listeners.ts'
import type { Database } from './database.ts'

/** The NOTIFY channel of the ledger in this schema. */
export function channelOf(schema: string): string {
  return `mulligan_${schema}`
}

/** Called after a write: of this process, or (`own` false) of another. */
export type ChangeListener = (own: boolean) => void

/** Pause between a write and its notification, in milliseconds: one notification covers all writes in between. */
const TELL_AFTER_MS = 20
/** Least time between two notifications, in milliseconds, so that a busy writer does not keep other processes busy. */
const TELL_EVERY_MS = 100
/** Least time between two words to the listeners about other processes, in milliseconds: several may write at the same time. */
const HEAR_EVERY_MS = 100
/** How often it also polls, in milliseconds: notifications can be lost with a connection. */
const POLL_MS = 1_000
/** Pause before reconnecting after the listening connection was lost, in milliseconds. */
const LISTEN_AGAIN_MS = 1_000

/**
 * Notifies listeners of writes. Other processes get a NOTIFY, sent after the commit and not inside it, where it would make
 * all commits of a database wait for each other. What is lost with a process or a connection is found by polling, once a
 * second, the two sequences that every write advances.
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
  #wasNew = false
  #stopPolling: (() => void) | undefined
  #stopTelling: (() => void) | undefined
  /** When the last word was sent, on the monotonic clock. */
  #toldAt = Number.NEGATIVE_INFINITY
  /** When the listeners last heard of other processes, on the monotonic clock. */
  #heardAt = Number.NEGATIVE_INFINITY
  #stopHearing: (() => void) | undefined
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

  /** Call after a commit of this process. */
  own(): void {
    if (this.#isClosed) return
    tellListeners(this.#listeners, true)
    if (this.#stopTelling) return
    const wait = Math.max(TELL_AFTER_MS, this.#toldAt + TELL_EVERY_MS - performance.now())
    this.#stopTelling = (realTime.inBackground ?? realTime.after)(wait, () => {
      this.#stopTelling = undefined
      this.#toldAt = performance.now()
      void this.#tellOthers()
    })
  }

  /** Sends a pending notification and closes the connection. */
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

  /** Another process wrote: at once after a pause, else once for all who write within it. */
  #hear(): void {
    if (this.#stopHearing) return
    const wait = this.#heardAt + HEAR_EVERY_MS - performance.now()
    const tell = () => {
      this.#stopHearing = undefined
      this.#heardAt = performance.now()
      tellListeners(this.#listeners, false)
    }
    if (wait <= 0) tell()
    else this.#stopHearing = (realTime.inBackground ?? realTime.after)(wait, tell)
  }

  async #tellOthers(): Promise<void> {
    try {
      const values = [this.#channel, this.#me]
      if (this.#client) await this.#client.query('SELECT pg_notify($1, $2)', values)
      else await this.#database.read(sql => sql.run('SELECT pg_notify($1, $2)', values))
    } catch {
      // They also poll.
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
      if (payload !== this.#me) this.#hear()
    })
    try {
      await client.query(`LISTEN "${this.#channel}"`)
    } catch (error) {
      if (this.#client === client) this.#client = undefined
      await client.end().catch(() => {})
      throw error
    }
  }

  #connectLater(): void {
    if (this.#isClosed || this.#listeners.size === 0) return
    this.#stopWaiting = (realTime.inBackground ?? realTime.after)(LISTEN_AGAIN_MS, () => this.#connect())
  }

  #poll(): void {
    const after = this.#time.inBackground ?? this.#time.after
    const stop = after.call(this.#time, POLL_MS, () => {
      if (this.#isClosed || this.#listeners.size === 0) return
      void this.#look().finally(() => {
        // Unless it was stopped meanwhile; later listeners may have started another poll.
        if (this.#stopPolling === stop) this.#poll()
      })
    })
    this.#stopPolling = stop
  }

  async #look(): Promise<void> {
    try {
      const row = await this.#database.read(sql =>
        sql.row<{ at: string }>(
          `SELECT (SELECT last_value FROM numbers) || ' ' || (SELECT last_value FROM changes) AS at`,
        ),
      )
      const isNew = this.#seen !== row?.at
      this.#seen = row?.at
      // A number is visible before its transaction commits, so the write may have appeared only since the last poll.
      if (isNew || this.#wasNew) tellListeners(this.#listeners, false)
      this.#wasNew = isNew
    } catch {
      // The next read gets the error and reports it; when the server answers again, all listeners are called.
      this.#seen = undefined
    }
  }

  #letGo(): void {
    this.#stopPolling?.()
    this.#stopWaiting?.()
    this.#stopHearing?.()
    this.#stopPolling = this.#stopWaiting = this.#stopHearing = undefined
    const client = this.#client
    this.#client = undefined
    void client?.end().catch(() => {})
  }
}
