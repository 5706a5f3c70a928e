import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Argument } from './cli.ts'

/** Files that hold what must not stand on a command line; gone when the run is. */
export class PrivateFiles {
  #folder: string | undefined
  #count = 0

  /** The text of an argument; a file is made for what goes in by one. */
  text(argument: Argument): string {
    if (typeof argument === 'string') return argument
    return this.#made(argument.fileWith)
  }

  /** An empty file for somebody else to write into. */
  empty(): string {
    return this.#made('')
  }

  #made(text: string): string {
    // mkdtemp makes the folder for its owner alone.
    this.#folder ??= mkdtempSync(join(tmpdir(), 'mulligan-'))
    const file = join(this.#folder, String(++this.#count))
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}
