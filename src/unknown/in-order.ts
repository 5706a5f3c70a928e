import type { MaybePromise } from '../ledger/ledger.ts'

/** Goes on with a value at once where it is there: a transaction of SQLite must not wait for anything. */
export function whenThere<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Takes steps one after the other, each at once where the one before is done. */
export function inOrder<T, U>(items: readonly T[], step: (item: T) => MaybePromise<U>): MaybePromise<U[]> {
  return items.reduce<MaybePromise<U[]>>(
    (before, item) => whenThere(before, done => whenThere(step(item), value => [...done, value])),
    [],
  )
}
