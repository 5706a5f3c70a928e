import type { MaybePromise } from './ledger.ts'

/**
 * Goes on with a value when it is there: at once where it is, so that the work of a transaction can be written for a
 * database that answers at once and for one behind a network.
 */
export function whenThere<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
