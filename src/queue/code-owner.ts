import { AsyncLocalStorage } from 'node:async_hooks'

/** The run of an operation that some code belongs to. */
export interface CodeOwner {
  operation: string
  capability: string
  run: number
}

const running = new AsyncLocalStorage<CodeOwner>()
let isKept = false

/**
 * From now on, tracks whose code is running, including timers and promises it left behind. Off until this is called, because it
 * costs time, noticeably so on Node 22.
 */
export function trackCodeOwner(): void {
  isKept = true
}

/** Runs this as the code of an operation. */
export function runAsCodeOf<T>(whose: CodeOwner, work: () => T): T {
  return isKept ? running.run(whose, work) : work()
}

/** Whose code is running; undefined outside all operations. */
export function codeOwner(): CodeOwner | undefined {
  return running.getStore()
}
