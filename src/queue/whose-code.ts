import { AsyncLocalStorage } from 'node:async_hooks'

/** The run of an operation, whose code it is that runs. */
export interface Whose {
  operation: string
  capability: string
  run: number
}

const running = new AsyncLocalStorage<Whose>()
let isKept = false

/**
 * From now on it is known whose code runs, also in timers and promises that it left behind. Off until somebody asks:
 * it costs, on Node 22 noticeably.
 */
export function keepTrackOfCode(): void {
  isKept = true
}

/** Runs this as the code of an operation. */
export function asCodeOf<T>(whose: Whose, work: () => T): T {
  return isKept ? running.run(whose, work) : work()
}

/** Whose code this is; undefined outside of all operations. */
export function whoseCode(): Whose | undefined {
  return running.getStore()
}
