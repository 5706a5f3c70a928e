import type { Time } from './time.ts'

/**
 * Waits for something, at most `ms` milliseconds and until the signal is aborted. Resolves in any case; the thing waited for
 * goes on.
 * @param wait must reject when its signal is aborted; any other rejection is passed on
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
