import { isLedgerError } from '../ledger/error.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { Queue } from '../queue/queue.ts'
import type { RunView } from './view.ts'
import { Workflows } from './workflows.ts'

/** Resolves with the run once it has ended. Rejects with the signal's reason on abort. */
export function waitForEnd(queue: Queue, id: string, signal?: AbortSignal): Promise<RunView> {
  let waiters = WAITERS.get(queue)
  if (!waiters) {
    waiters = new RunWaiters(queue)
    WAITERS.set(queue, waiters)
  }
  return waiters.wait(id, signal)
}

type Waiter = PromiseWithResolvers<RunView>

/** Waits for runs to end, in any process. One event reader serves all callers. */
class RunWaiters {
  readonly #queue: Queue
  readonly #workflows: Workflows
  readonly #waiting = new Map<string, Set<Waiter>>()
  /** Open calls of {@link wait}; without any, the reader stops. */
  #users = 0
  #reader: EventReader | undefined

  constructor(queue: Queue) {
    this.#queue = queue
    this.#workflows = new Workflows(queue)
  }

  async wait(id: string, signal?: AbortSignal): Promise<RunView> {
    signal?.throwIfAborted()
    const waiter = Promise.withResolvers<RunView>()
    // It may reject before it is awaited.
    waiter.promise.catch(() => {})
    const onAbort = () => waiter.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#users++
    const waiters = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiters.add(waiter))
    try {
      // Start reading events before reading the run, so that its end cannot be missed.
      await Promise.race([this.#read().then(() => this.#look(id)), waiter.promise])
      return await waiter.promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiting.get(id) === waiters) this.#waiting.delete(id)
      if (--this.#users === 0) this.#rest()
    }
  }

  async #read(): Promise<void> {
    this.#reader ??= new EventReader({
      ledger: this.#queue.ledger,
      time: this.#queue.time,
      types: ['workflow_ended'],
      onError: error => {
        // The reader retries automatically and misses nothing. Only a lasting error ends a wait.
        if (!isLedgerError(error) || !LASTING.has(error.code)) return
        for (const waiters of this.#waiting.values()) for (const { reject } of waiters) reject(error)
      },
      handle: async events => {
        for (const id of new Set(events.map(({ data }) => data?.workflow_run)))
          if (typeof id === 'string' && this.#waiting.has(id)) await this.#look(id)
      },
    })
    await this.#reader.start()
  }

  #rest(): void {
    void this.#reader?.stop()
    this.#reader = undefined
  }

  async #look(id: string): Promise<void> {
    const view = await this.#workflows.show(id)
    if (view.run.state === 'running') return
    for (const { resolve } of this.#waiting.get(id) ?? []) resolve(view)
  }
}

const WAITERS = new WeakMap<Queue, RunWaiters>()
/** Errors after which this process can no longer use the ledger. */
const LASTING: ReadonlySet<string> = new Set(['closed', 'gone', 'corrupt'])
