import { realpathSync, statSync } from 'node:fs'
import type { Time } from '../../time/time.ts'

/** How often to look, in milliseconds. */
const LOOK_EVERY_MS = 250

/** Reports how much of a large transaction is already in the write-ahead log, until the returned function is called. */
export function watchLog(file: string, time: Time, onGrowth: (bytes: number) => void): () => void {
  const log = `${realpathSync(file)}-wal`
  let cancel: () => void
  let last = 0
  const look = () => {
    const bytes = sizeOf(log)
    if (bytes > last) onGrowth(bytes)
    last = Math.max(last, bytes)
    cancel = time.after(LOOK_EVERY_MS, look)
  }
  cancel = time.after(LOOK_EVERY_MS, look)
  return () => cancel()
}

/** Ignores read errors: a timer cannot report them, and the next writer notices anyway. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
