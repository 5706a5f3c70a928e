import type { CallEvent } from '../call/event.ts'
import { present } from '../failure/present.ts'
import type { Ledger } from './ledger.ts'
import type { UnknownSighting } from './unknown.ts'

/** How to record failures of calls. */
export interface CallUnknownsOptions {
  /** The ledger to write to; undefined records nothing. */
  ledger: Pick<Ledger, 'transaction'> | undefined
  /** Called if a failure cannot be written. The call continues anyway. Default: ignore it. */
  onError?: (error: unknown) => void
}

/**
 * Records unknown failures of calls, so that a person can label them like those of operations. Pass {@link onEvent} to
 * the call, and wait for {@link written} before you close the ledger.
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

  /** Resolves when everything seen so far is written; never rejects. */
  written(): Promise<void> {
    return this.#writing
  }
}

/**
 * The unknown that a call event shows: a failed try that ended the call, or led to a failover. The failure of a program
 * that is not a provider is not an unknown: its exit code already says that it failed, and no label could say more.
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
    ...present({ provider }),
  }
}
