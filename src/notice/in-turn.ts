import type { MaybePromise } from '../ledger/ledger.ts'

/** Goes on with a value: at once where it is there, else when it comes. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

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
