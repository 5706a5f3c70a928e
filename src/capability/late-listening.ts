/** Code that may not have ended yet. */
interface Listening {
  listen(): void
}

let begun: Listening[] = []

/**
 * Makes code listen to the signal of its job or run if it is still running when this turn of the event loop ends. Engines
 * compose a signal for each job, and listening to one costs as much as a quarter of a job that does nothing. One timer serves
 * all that began in the turn.
 */
export function listenAfterTurn(code: Listening): void {
  if (begun.push(code) === 1) setImmediate(listenAll)
}

function listenAll(): void {
  const all = begun
  begun = []
  for (const code of all) code.listen()
}
