import type { Time } from '../../../time/time.ts'
import { metaOf } from '../era.ts'
import { lineOf } from '../json-rpc.ts'

/** How often a client hears that a call waits, in milliseconds: well before any client gives up. */
const EVERY_MS = 5_000

/** Reports to a client that asked for progress why its call waits, so that it does not time out. */
export class CallProgress {
  readonly #token: unknown
  readonly #toClient: (line: Buffer) => void
  readonly #time: Time
  #cancel: (() => void) | undefined
  #count = 0

  constructor(params: unknown, toClient: (line: Buffer) => void, time: Time) {
    this.#token = metaOf(params).progressToken
    this.#toClient = toClient
    this.#time = time
  }

  /** The call waits from now on, because of this. */
  waiting(reason: string): void {
    this.stop()
    if (this.#token === undefined) return
    this.#tell(reason)
    this.#cancel = this.#time.after(EVERY_MS, () => this.waiting(reason))
  }

  /** It waits no longer. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Tiny steps below zero: the server may tell its own progress later, from 0 on, and progress must grow. */
  #tell(message: string): void {
    const progress = ++this.#count / 1_000_000 - 1
    const params = { progressToken: this.#token, progress, message }
    this.#toClient(lineOf({ method: 'notifications/progress', params }))
  }
}
