import type { MaybePromise } from '../ledger/ledger.ts'

/** One after the other, at once where nothing has to be waited for. */
export function inTurn<T>(
  items: readonly T[],
  work: (item: T) => MaybePromise<void>,
  from = 0,
): MaybePromise<void> {
  for (let index = from; index < items.length; index++) {
    const done = work(items[index] as T)
    if (done instanceof Promise) return done.then(() => inTurn(items, work, index + 1))
  }
}
