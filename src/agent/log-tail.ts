import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { quietly } from '../time/clean-up.ts'
import type { Time } from '../time/time.ts'
import { LineSplitter } from './line-splitter.ts'

/** How often a log is read, in milliseconds. */
const LOOK_EVERY_MS = 500
/** How much is read at once; the rest follows the next time. */
const MOST_BYTES = 1_048_576

/** Follows a log that a CLI writes while it runs, for what its output does not say. */
export class LogTail {
  readonly #path: string
  readonly #time: Time
  readonly #lines: LineSplitter
  #at = 0
  #cancel: (() => void) | undefined

  constructor(path: string, time: Time, onLine: (line: string) => void) {
    this.#path = path
    this.#time = time
    this.#lines = new LineSplitter(onLine)
    this.#plan()
  }

  /** Reads the rest, and stops. */
  end(): void {
    this.#cancel?.()
    this.#look()
    this.#lines.end()
  }

  /** Removes the log, if it was written only for us. */
  remove(): void {
    rmSync(this.#path, { force: true })
  }

  #plan(): void {
    this.#cancel = this.#time.after(LOOK_EVERY_MS, () => {
      this.#look()
      this.#plan()
    })
  }

  #look(): void {
    let file: number
    try {
      file = openSync(this.#path, 'r')
    } catch {
      // Not written yet, or written elsewhere: then only the output counts.
      return
    }
    try {
      const size = fstatSync(file).size
      const bytes = Buffer.alloc(Math.max(0, Math.min(size - this.#at, MOST_BYTES)))
      this.#at += readSync(file, bytes, 0, bytes.length, this.#at)
      this.#lines.push(bytes)
    } finally {
      void quietly(() => closeSync(file))
    }
  }
}
