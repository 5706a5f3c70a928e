import type { Time } from './time.ts'

/** How a promise settled within a limit; `late` if the limit or an abort came first. */
export type SettledWithin<T> = { value: T } | { error: unknown } | { late: true }

/**
 * Waits for a promise, at most `limitMs` and until the signal is aborted. Leaves no timer or listener behind. A value that
 * arrives too late goes to `onLate`.
 */
export function settleWithin<T>(
  promise: Promise<T>,
  time: Time,
  limitMs: number,
  signal?: AbortSignal,
  onLate?: (value: T) => void,
): Promise<SettledWithin<T>> {
  return new Promise(resolve => {
    let isOver = false
    const end = (outcome: SettledWithin<T>) => {
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
