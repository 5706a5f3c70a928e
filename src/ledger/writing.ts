/** A plain value from a database that answers at once, a promise from one behind a network. */
export type MaybePromise<T> = T | Promise<T>

/**
 * The work of a transaction that needs the answer to a write before it goes on, written once for a database that answers at
 * once and for one behind a network: `const { id } = yield* answerOf(writes.addLabel(label))`.
 */
export type Writing<T> = Generator<unknown, T, unknown>

/** The answer to a write, or the result of further work. */
export function* answerOf<T>(write: MaybePromise<T> | Writing<T>): Writing<T> {
  if (isWriting<T>(write)) return yield* write
  return (yield write) as T
}

/** The result of a transaction's work: at once, unless an answer is a promise. */
export function resultOf<T>(work: MaybePromise<T> | Writing<T>): MaybePromise<T> {
  if (!isWriting<T>(work)) return work
  let step = work.next()
  while (!step.done) {
    if (step.value instanceof Promise) return resultLater(work, step.value)
    step = work.next(step.value)
  }
  return step.value
}

async function resultLater<T>(work: Writing<T>, first: Promise<unknown>): Promise<T> {
  for (let answer: unknown = first; ; ) {
    let step: IteratorResult<unknown, T>
    try {
      step = work.next(await answer)
    } catch (error) {
      step = work.throw(error)
    }
    if (step.done) return step.value
    answer = step.value
  }
}

function isWriting<T>(value: unknown): value is Writing<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'next' in value &&
    'throw' in value &&
    Symbol.iterator in value
  )
}
