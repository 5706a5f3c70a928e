import type { Time } from './time.ts'

/**
 * Waits for something, but no longer than `ms` milliseconds or until the signal is aborted: then it resolves all the same,
 * and what was waited for goes on.
 * @param wait rejects when its signal is aborted; what else it rejects with is passed on
 */
export async function waitAtMost(
  ms: number,
  wait: (signal: AbortSignal) => Promise<unknown>,
  time: Pick<Time, 'after'>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const cancel = time.after(ms, () => over.abort())
  const ends = AbortSignal.any([signal, over.signal])
  try {
    await wait(ends)
  } catch (error) {
    if (!ends.aborted) throw error
  } finally {
    cancel()
  }
}
