import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { tellListeners } from '../tell-listeners.ts'

/** How often to look for writes of other processes if the system does not report them, in milliseconds. */
const POLL_MS = 500
/** Shortest time between two looks, in milliseconds, so that a busy neighbour cannot cause more. */
const LOOK_EVERY_MS = 10
/** Marks a counter that could not be read. */
const UNREADABLE = -1

/**
 * Notifies listeners that something was written, by this process or another. The system reports changes to the files; a
 * look at a counter in shared memory, a few microseconds, then shows whether another process committed. A slow poll
 * covers file systems that report nothing.
 */
export class ChangeNotice {
  readonly #time: Time
  /** Undefined if no other process can write. */
  readonly #file: string | undefined
  readonly #version: StatementSync
  readonly #listeners = new Set<(own: boolean) => void>()
  #seen: number
  #watcher: FSWatcher | undefined
  #cancelPoll: (() => void) | undefined
  #cancelLook: (() => void) | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #ownPending = false

  constructor(db: DatabaseSync, file: string | undefined, time: Time) {
    this.#time = time
    this.#file = file
    this.#version = db.prepare('PRAGMA data_version')
    this.#seen = this.#read()
  }

  /** `own` is true if this process wrote, false if another did. */
  listen(listener: (own: boolean) => void): () => void {
    // The same function may listen twice, and each registration ends separately.
    const entry = (own: boolean) => listener(own)
    this.#listeners.add(entry)
    if (this.#listeners.size === 1) this.#begin()
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#end()
    }
  }

  /** Reports a commit of this process. Several commits in a row are reported once. */
  own(): void {
    if (this.#listeners.size === 0 || this.#ownPending) return
    this.#ownPending = true
    queueMicrotask(() => {
      this.#ownPending = false
      // In memory, all users are in this process: what one part wrote is news to the others.
      tellListeners(this.#listeners, this.#file !== undefined)
    })
  }

  close(): void {
    this.#listeners.clear()
    this.#end()
  }

  #begin(): void {
    if (this.#file === undefined) return
    this.#seen = this.#readOrFailed()
    const name = basename(this.#file)
    try {
      this.#watcher = watch(dirname(this.#file), { persistent: false }, (_event, changed) => {
        if (changed === null || changed.startsWith(name)) this.#soon()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // Too many watches, or a file system without them: the poll is enough.
    }
    this.#poll()
  }

  #end(): void {
    this.#watcher?.close()
    this.#cancelPoll?.()
    this.#cancelLook?.()
    this.#watcher = this.#cancelPoll = this.#cancelLook = undefined
  }

  #poll(): void {
    this.#cancelPoll = this.#time.after(POLL_MS, () => {
      this.#look()
      if (this.#listeners.size > 0) this.#poll()
    })
  }

  #soon(): void {
    if (this.#cancelLook) return
    const wait = this.#lookedAt + LOOK_EVERY_MS - this.#time.monotonic()
    if (wait <= 0) this.#look()
    else
      this.#cancelLook = this.#time.after(wait, () => {
        this.#cancelLook = undefined
        this.#look()
      })
  }

  #look(): void {
    this.#lookedAt = this.#time.monotonic()
    const version = this.#readOrFailed()
    if (version === this.#seen) return
    this.#seen = version
    tellListeners(this.#listeners, false)
  }

  /**
   * Reports an unreadable file once: the listener then reads, gets the error, and can report it. If a timer threw the
   * error, it would crash the process.
   */
  #readOrFailed(): number {
    try {
      return this.#read()
    } catch {
      return UNREADABLE
    }
  }

  #read(): number {
    return (this.#version.get() as { data_version: number }).data_version
  }
}
