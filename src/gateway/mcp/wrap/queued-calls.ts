import type { Operation } from '../../../ledger/operation.ts'
import type { Queue } from '../../../queue/queue.ts'
import type { OperationResult } from '../../../queue/result.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { waitAtMost } from '../../../time/wait-at-most.ts'
import { isCallName } from './call-capability.ts'

/** How long the end of a call is listed, in milliseconds: a day. */
const LISTED_MS = 86_400_000
/** Calls that are listed, and waiting ones that are searched for orphans. */
const MOST_LISTED = 20
const MOST_SEARCHED = 200

/**
 * Queued calls that a client may see: those of its servers and logins, whichever session queued them, and orphans of others,
 * which no process in this data folder could run or see any more.
 */
export class QueuedCalls {
  readonly #queue: Promise<Queue | undefined>
  readonly #own: ReadonlySet<string>
  readonly #time: Time

  /** @param own capabilities of the client's servers and logins */
  constructor(queue: Promise<Queue | undefined>, own: ReadonlySet<string>, time: Time = realTime) {
    this.#queue = queue
    this.#own = own
    this.#time = time
  }

  /** A call, after waiting for its end; undefined if there is none that this client may see. */
  async find(id: string, waitMs: number, signal: AbortSignal): Promise<OperationResult | undefined> {
    const queue = await this.#queue
    const operation = await queue?.ledger.get(id)
    if (!queue || !operation) return undefined
    const isOwn = this.#own.has(operation.capability)
    if (!isOwn && (await orphans(queue, [operation])).length === 0) return undefined
    // Nobody is there who could end an orphan.
    if (isOwn && waitMs > 0)
      await waitAtMost(waitMs, ends => queue.wait(id, { signal: ends }), this.#time, signal).catch(() => {})
    return queue.result(id)
  }

  /** Calls that wait, and those that ended lately, newest first. */
  async list(): Promise<readonly Operation[]> {
    const queue = await this.#queue
    if (!queue) return []
    const { items } = await queue.ledger.list(
      { capability: [...this.#own], createdFrom: this.#time.now() - 30 * LISTED_MS },
      { limit: MOST_SEARCHED },
    )
    const isNews = ({ state, updatedAt }: Operation) =>
      (state !== 'succeeded' && state !== 'dead') || updatedAt > this.#time.now() - LISTED_MS
    return [...items.filter(isNews), ...(await orphansIn(queue))].slice(0, MOST_LISTED)
  }
}

/** Waiting calls of wrapped servers that no living process can run. */
export async function orphansIn(queue: Queue): Promise<readonly Operation[]> {
  const { items } = await queue.ledger.list({ state: ['scheduled', 'parked'] }, { limit: MOST_SEARCHED })
  return orphans(queue, items)
}

/** @param gone the runner that is about to end */
export async function orphans(
  queue: Queue,
  operations: readonly Operation[],
  gone?: string,
): Promise<readonly Operation[]> {
  const calls = operations.filter(({ capability }) => isCallName(capability))
  if (calls.length === 0) return []
  const runners = (await queue.ledger.runners()).filter(({ id }) => id !== gone)
  const able = new Set(runners.flatMap(({ capabilities }) => capabilities))
  return calls.filter(({ capability }) => !able.has(capability))
}
