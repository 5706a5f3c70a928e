import type { EventType } from '../ledger/event.ts'
import { EventReader } from '../ledger/event-reader.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DeadOperation, Operation, SucceededOperation } from '../ledger/operation.ts'
import { isEnded } from '../ledger/operation.ts'
import type { Time } from '../time/time.ts'
import { missing, QueueError } from './error.ts'

/** An operation that has ended. */
export type EndedOperation = SucceededOperation | DeadOperation

/** Events that may end a wait; one `pruned` event covers many operations, whose own events are gone. */
const ENDS: readonly EventType[] = ['succeeded', 'dead', 'discarded', 'pruned']

interface Waiter {
  resolve(operation: EndedOperation): void
  reject(reason: unknown): void
}

/** Waits for operations to end, wherever they run: one reader reads the events for all waiters. */
export class OperationWaiters {
  readonly #ledger: Ledger
  readonly #time: Time
  readonly #waiting = new Map<string, Set<Waiter>>()
  /** Calls of {@link wait} that have not ended: the reader runs for them. */
  #users = 0
  #reader: EventReader | undefined

  constructor(ledger: Ledger, time: Time) {
    this.#ledger = ledger
    this.#time = time
  }

  /** Resolves with the operation once it has ended. Rejects with the signal's reason on abort. */
  async wait(id: string, signal?: AbortSignal): Promise<EndedOperation> {
    signal?.throwIfAborted()
    this.#users++
    try {
      // Start reading events, then register the waiter, then read the operation: whenever it ends, one of these notices.
      await this.#read()
      const ended = this.#end(id, signal)
      void this.#ended(id).catch(error => this.#fail([id], error))
      return await ended
    } finally {
      if (--this.#users === 0) this.#rest()
    }
  }

  close(): void {
    this.#rest()
    const closed = new QueueError('not_ended', 'the queue was closed before the operation ended')
    this.#fail([...this.#waiting.keys()], closed)
  }

  /** Rejects all waiters of these operations. */
  #fail(ids: readonly string[], error: unknown): void {
    for (const id of ids) for (const { reject } of [...(this.#waiting.get(id) ?? [])]) reject(error)
  }

  #end(id: string, signal: AbortSignal | undefined): Promise<EndedOperation> {
    return new Promise((resolve, reject) => {
      const end = () => {
        signal?.removeEventListener('abort', onAbort)
        const waiters = this.#waiting.get(id)
        waiters?.delete(waiter)
        if (waiters?.size === 0) this.#waiting.delete(id)
      }
      const onAbort = () => waiter.reject(signal?.reason)
      const waiter: Waiter = {
        resolve: operation => {
          end()
          resolve(operation)
        },
        reject: reason => {
          end()
          reject(reason)
        },
      }
      const waiters = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiters.add(waiter))
      // It may have been aborted while the events were read.
      if (signal?.aborted) return onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  async #read(): Promise<void> {
    this.#reader ??= new EventReader({
      ledger: this.#ledger,
      time: this.#time,
      types: ENDS,
      onError: error => this.#fail([...this.#waiting.keys()], error),
      handle: async events => {
        for (const { operation } of events)
          for (const id of operation === undefined ? [...this.#waiting.keys()] : [operation])
            await this.#ended(id)
      },
    })
    await this.#reader.start()
  }

  #rest(): void {
    void this.#reader?.stop()
    this.#reader = undefined
  }

  async #ended(id: string): Promise<void> {
    const waiters = this.#waiting.get(id)
    if (!waiters) return
    const operation: Operation | undefined = await this.#ledger.get(id)
    // It may have been revived since.
    if (operation && !isEnded(operation)) return
    for (const { resolve, reject } of [...waiters])
      if (operation) resolve(operation)
      else reject(missing(id))
  }
}
