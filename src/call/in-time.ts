import type { Time } from '../time/time.ts'

/** How a promise that was waited for in bounds ended; `late` when the bounds ended first. */
export type InTime<T> = { value: T } | { error: unknown } | { late: true }

/**
 * Waits for a promise at most `limitMs`, and no longer than until the signal is aborted. Leaves no timer or
 * listener behind; a value that comes too late goes to `onLate`.
 */
export function inTime<T>(
  promise: Promise<T>,
  time: Time,
  limitMs: number,
  signal?: AbortSignal,
  onLate?: (value: T) => void,
): Promise<InTime<T>> {
  return new Promise(resolve => {
    let isOver = false
    const end = (outcome: InTime<T>) => {
      isOver = true
      cancel()
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    const onAbort = () => end({ late: true })
    const cancel = time.after(limitMs, () => end({ late: true }))
    promise.then(
      value => (isOver ? onLate?.(value) : end({ value })),
      error => {
        if (!isOver) end({ error })
      },
    )
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
