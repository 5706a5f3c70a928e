/** Continues what was started, while a runner runs. */
export interface Attendant {
  /** Continues it until stopped. */
  start(): Promise<void>
  /** Settles when no more writes will follow. May be called twice. */
  stop(): Promise<void>
}

/** Something that runs as several operations and must be continued between them. */
export interface Attended {
  /** Its kind. One attendant continues everything of a kind. */
  readonly kind: symbol
  /**
   * Makes the attendant that continues everything of its kind in this queue's ledger. The queue is unknown here, because it knows
   * what it starts, not the other way round; as a method, one that takes a `Queue` fits.
   */
  attend(queue: unknown, onError: (error: unknown) => void): Attendant
}

/**
 * Something that runs as several operations once started: a workflow. Methods, so that one with specific parameters fits where
 * any does.
 */
export interface Startable<P = unknown, R = unknown, O extends object = object> extends Attended {
  /** Starts it in this queue and returns its handle. */
  start(queue: unknown, params: P, options?: O): Promise<R>
}
