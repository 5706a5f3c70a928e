import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Argument } from './cli.ts'

/** Private files for what must not appear on a command line. Removed with the run. */
export class PrivateFiles {
  #folder: string | undefined
  #count = 0

  /** The text of an argument; creates a file if its content goes in one. */
  text(argument: Argument): string {
    if (typeof argument === 'string') return argument
    return this.#made(argument.fileWith)
  }

  /** An empty file for another program to write to. */
  empty(): string {
    return this.#made('')
  }

  #made(text: string): string {
    // mkdtemp creates the folder for its owner only.
    this.#folder ??= mkdtempSync(join(tmpdir(), 'mulligan-'))
    const file = join(this.#folder, String(++this.#count))
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}
