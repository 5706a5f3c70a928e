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

/** Takes steps one after the other, each at once where the one before is done. Gives what they answered. */
export function inOrder<T, U>(items: readonly T[], step: (item: T) => MaybePromise<U>): MaybePromise<U[]> {
  const answers: U[] = []
  const takeFrom = (first: number): MaybePromise<U[]> => {
    for (let index = first; index < items.length; index++) {
      const answer = step(items[index] as T)
      if (answer instanceof Promise)
        return answer.then(value => {
          answers.push(value)
          return takeFrom(index + 1)
        })
      answers.push(answer)
    }
    return answers
  }
  return takeFrom(0)
}
