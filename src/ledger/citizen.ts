import { RETRY_POLICIES, type RetryPolicy } from '../verdict/retry-policy.ts'
import { ENGINE_PREFIX } from './hold-words.ts'
import type { LedgerTransaction } from './ledger.ts'
import type { Fence, NewOperation, Operation } from './operation.ts'
import type { Settled, Settlement } from './settlement.ts'
import { answerOf, type Writing } from './writing.ts'

/** The capability of a citizen: `engine:bullmq/reviews`. Only a worker connected to that queue has it. */
export function citizenCapability(engine: string, queue: string): string {
  // A queue of another engine may have any name.
  return `${ENGINE_PREFIX}${engine}/${queue}`.replaceAll(/[\s\p{Cc}"'{}]/gu, '_').slice(0, 200)
}

/** The engine that dispatches the jobs of a capability: `bullmq`; undefined if that is this ledger's own. */
export function engineOf(capability: string): string | undefined {
  return capability.startsWith(ENGINE_PREFIX)
    ? capability.slice(ENGINE_PREFIX.length).split('/', 1)[0]
    : undefined
}

/** What the worker of a citizen said about running it again: nobody else has its capability. Undefined for other operations. */
export function citizenRetry({
  capability,
  context,
}: Pick<Operation, 'capability' | 'context'>): RetryPolicy | undefined {
  const { retry } = (context ?? {}) as { retry?: unknown }
  return engineOf(capability) === undefined ? undefined : RETRY_POLICIES.find(each => each === retry)
}

/** How a citizen is held while its own engine has it: nobody else may claim it. */
export function heldByEngine(engine: string): string {
  return `${ENGINE_PREFIX}${engine}`
}

/** What a worker of another engine reports about a job: one try, or its end. */
export interface CitizenReport {
  /** Its operation. Default: stored anew. */
  id?: string
  /** How to store it if there is none. */
  operation: NewOperation
  /** How its run ended. */
  settlement: Settlement
}

/** What was written. */
export interface CitizenReported {
  /** Id of the operation. */
  id: string
  settled: Extract<Settled, { settled: true }>
}

/** Who moved an operation that its engine started although it was parked or dead here. */
const BY_HAND = { by: 'person', reason: 'retried in its engine' } as const

/**
 * Writes what happened in another engine: its run, and that the engine has the job again if it goes on. The engine is
 * the truth: an operation that is parked, dead or being handed back here is taken as started there. Undefined if it has
 * succeeded: nothing more is written about it.
 */
export function* writeReport(
  writes: LedgerTransaction,
  { id, operation, settlement }: CitizenReport,
): Writing<CitizenReported | undefined> {
  // The key may belong to an operation that another worker stored a moment ago.
  const stored = id ?? (yield* answerOf(writes.insert([operation])))[0]?.id
  const started = yield* begin(writes, stored as string)
  if (!started) return undefined
  const settled = yield* answerOf(writes.settle(started, settlement))
  // It was begun in this transaction, so nobody can have taken it over.
  if (!settled.settled) throw new Error(`${started.id}: its run ended before it was settled`)
  const engine = engineOf(operation.capability) as string
  if (settled.state === 'scheduled') yield* answerOf(writes.hold(started.id, heldByEngine(engine)))
  return { id: started.id, settled }
}

/** Starts a run in whatever state the operation is; undefined if it has succeeded or is gone. */
function* begin(writes: LedgerTransaction, id: string): Writing<Fence | undefined> {
  const started =
    (yield* answerOf(writes.start(id))) ??
    ((yield* answerOf(writes.unpark(id, BY_HAND))) || (yield* answerOf(writes.revive(id)))
      ? yield* answerOf(writes.start(id))
      : yield* answerOf(writes.start(id, { runner: 'its engine' })))
  return started && { id, run: started.operation.run }
}
