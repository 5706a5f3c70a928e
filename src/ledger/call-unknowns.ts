import type { CallEvent } from '../call/event.ts'
import type { Ledger } from './ledger.ts'
import type { UnknownSighting } from './unknown.ts'

/** How failures of calls are recorded. */
export interface CallUnknownsOptions {
  /** Where they are written; undefined records nothing. */
  ledger: Pick<Ledger, 'transaction'> | undefined
  /** Told when they cannot be written: the call goes on all the same. Default nothing. */
  onError?: (error: unknown) => void
}

/**
 * Records failures of calls that nobody knows as unknowns, so that a person can label them as those of operations. Give
 * {@link onEvent} to the call, and wait for {@link written} before the ledger is closed.
 */
export class CallUnknowns {
  readonly #options: CallUnknownsOptions
  #writing: Promise<void> = Promise.resolve()

  constructor(options: CallUnknownsOptions) {
    this.#options = options
  }

  readonly onEvent = (event: CallEvent): void => {
    const sighting = unknownSeenIn(event)
    const { ledger, onError } = this.#options
    if (!sighting || !ledger) return
    this.#writing = this.#writing
      .then(() => ledger.transaction(writes => writes.recordUnknown(sighting)))
      .then(
        () => {},
        error => onError?.(error),
      )
  }

  /** Settles when everything seen so far is written; never rejects. */
  written(): Promise<void> {
    return this.#writing
  }
}

/**
 * What a call shows of an unknown: a try that ended it, or after which another provider was tried. That a program which is
 * no known agent failed is not unknown: its exit code says so, and no label could say more.
 */
export function unknownSeenIn(event: CallEvent): UnknownSighting | undefined {
  if (event.type !== 'attempt.failed') return undefined
  const { failure, verdict, provider, at } = event
  if (failure.class !== 'unknown' || failure.kind === 'command_failed' || verdict.action === 'retry')
    return undefined
  return {
    failure,
    at,
    outcome: verdict.action === 'failover' ? 'failover' : 'ended',
    ...(provider === undefined ? {} : { provider }),
  }
}
