import type { MaybePromise } from './ledger.ts'

/**
 * Continues with a value once it is there: synchronously if possible. Lets the work of a transaction be written once,
 * for a database that answers synchronously and for one behind a network.
 */
export function whenThere<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Runs steps one after the other, synchronously as long as none returns a promise. Returns their results. */
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
