import type { EventType } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DeadOperation, Operation, SucceededOperation } from '../ledger/operation.ts'
import { isEnded } from '../ledger/operation.ts'
import { missing, QueueError } from './error.ts'

/** An operation that nothing more happens to by itself. */
export type EndedOperation = SucceededOperation | DeadOperation

/** What may end a wait; `pruned` is told once for many operations, and their own events are gone. */
const ENDS: readonly EventType[] = ['succeeded', 'dead', 'discarded', 'pruned']

interface Waiter {
  resolve(operation: EndedOperation): void
  reject(reason: unknown): void
}

/** Waits for ends of operations, wherever they run: one listener reads the events for all who wait. */
export class OperationWaiters {
  readonly #ledger: Ledger
  readonly #waiting = new Map<string, Set<Waiter>>()
  #cursor = 0
  #stopListening: (() => void) | undefined
  #reading: Promise<void> | undefined
  #isAgain = false

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** The operation once it has ended. Rejects with the signal's reason on abort. */
  async wait(id: string, signal?: AbortSignal): Promise<EndedOperation> {
    signal?.throwIfAborted()
    // Asked before the operation: what ends in between is then among the events.
    if (!this.#stopListening) this.#cursor = await this.#ledger.lastEvent()
    const operation = await this.#ledger.get(id)
    if (!operation) throw missing(id)
    if (isEnded(operation)) return operation
    return this.#add(id, signal)
  }

  close(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    const closed = new QueueError('not_ended', 'the queue was closed before the operation ended')
    for (const waiters of this.#waiting.values()) for (const { reject } of waiters) reject(closed)
    this.#waiting.clear()
  }

  #add(id: string, signal: AbortSignal | undefined): Promise<EndedOperation> {
    return new Promise((resolve, reject) => {
      const end = () => {
        signal?.removeEventListener('abort', onAbort)
        const waiters = this.#waiting.get(id)
        waiters?.delete(waiter)
        if (waiters?.size === 0) this.#waiting.delete(id)
        if (this.#waiting.size === 0) this.#rest()
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
      // It may have been aborted while the operation was read.
      if (signal?.aborted) return onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#stopListening ??= this.#ledger.onChange(() => this.#look())
      this.#look()
    })
  }

  #rest(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  /** One look at a time; what is written meanwhile causes one more. */
  #look(): void {
    this.#isAgain = true
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
      if (this.#isAgain && this.#waiting.size > 0) this.#look()
    })
  }

  async #read(): Promise<void> {
    try {
      while (this.#isAgain) {
        this.#isAgain = false
        const last = await this.#ledger.lastEvent()
        const events = await this.#ledger.events({ after: this.#cursor, types: ENDS })
        for (const { operation } of events)
          for (const id of operation === undefined ? [...this.#waiting.keys()] : [operation])
            await this.#ended(id)
        const lastRead = events.at(-1)?.id
        // A full page may have more behind it; else everything up to what was there is read.
        if (events.length >= PAGE && lastRead !== undefined) {
          this.#cursor = lastRead
          this.#isAgain = true
        } else this.#cursor = Math.max(this.#cursor, last, lastRead ?? 0)
      }
    } catch (error) {
      for (const waiters of [...this.#waiting.values()]) for (const { reject } of [...waiters]) reject(error)
    }
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

/** What the ledger gives at once, unless told otherwise. */
const PAGE = 500
