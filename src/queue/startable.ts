import type { Queue } from './queue.ts'

/** What goes on with something that was started, while a runner runs. */
export interface Attendant {
  /** Goes on with it until it is stopped. */
  start(): Promise<void>
  /** Settles when nothing is written any more. May be called twice. */
  stop(): Promise<void>
}

/** Something that runs as several operations, and has to be gone on with. */
export interface Attended {
  /** What it is one of. One attendant goes on with all of a kind. */
  readonly kind: symbol
  /** Makes what goes on with all of its kind, in the ledger of this queue. */
  attend(queue: Queue, onError: (error: unknown) => void): Attendant
}

/**
 * Something that is started and runs as several operations: a workflow. Methods, so that one of certain parameters is also
 * one of any.
 */
export interface Startable<P = unknown, R = unknown, O extends object = object> extends Attended {
  /** Starts it, and gives what is known of it. */
  start(queue: Queue, params: P, options?: O): Promise<R>
}
