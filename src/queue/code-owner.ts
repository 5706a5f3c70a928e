import { AsyncLocalStorage } from 'node:async_hooks'

/** The run of an operation, whose code it is that runs. */
export interface CodeOwner {
  operation: string
  capability: string
  run: number
}

const running = new AsyncLocalStorage<CodeOwner>()
let isKept = false

/**
 * From now on it is known whose code runs, also in timers and promises that it left behind. Off until requested:
 * it costs, on Node 22 noticeably.
 */
export function trackCodeOwner(): void {
  isKept = true
}

/** Runs this as the code of an operation. */
export function runAsCodeOf<T>(whose: CodeOwner, work: () => T): T {
  return isKept ? running.run(whose, work) : work()
}

/** CodeOwner code this is; undefined outside of all operations. */
export function codeOwner(): CodeOwner | undefined {
  return running.getStore()
}
