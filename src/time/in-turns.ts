/** Work of one turn, in milliseconds. */
const TURN_MS = 5

let last: Promise<unknown> = Promise.resolve()

/**
 * Maps items one after another, and gives timers and sockets their turn in between: a page of a thousand must not delay the
 * renewal of a lease. Callers at the same time take turns too, so that together they delay others no longer than one.
 */
export async function inTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = []
  let since = performance.now()
  for (const item of items) {
    if (performance.now() - since > TURN_MS) {
      await nextTurn()
      since = performance.now()
    }
    mapped.push(map(item))
  }
  return mapped
}

/** Resolves in a round of the event loop in which nobody else's turn comes. */
export function nextTurn(): Promise<unknown> {
  last = last.then(() => new Promise(resolve => void setImmediate(resolve)))
  return last
}
