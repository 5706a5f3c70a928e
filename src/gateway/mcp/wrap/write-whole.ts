import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Keeps what only makes the next start faster, as JSON in a private file. Written whole and renamed: a reader never sees half of
 * it. Does nothing if it cannot be written.
 */
export function writeWhole(file: string, value: unknown): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify(value), { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    // Only the next start is slower.
  }
}
