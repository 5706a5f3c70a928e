import { quietly } from '../time/clean-up.ts'
import type { LedgerEvent } from './event.ts'
import { EventReader, type EventReaderOptions } from './event-reader.ts'

/** Which events to stream, and until when. */
export type EventStreamOptions = Pick<
  EventReaderOptions,
  'ledger' | 'time' | 'types' | 'from' | 'batch' | 'gatherMs'
> & {
  /** Ends the stream. */
  signal: AbortSignal
}

interface Given {
  events: readonly LedgerEvent[]
  taken: () => void
}

/**
 * Yields events in batches as they happen, until the signal is aborted. Reads the next batch after the consumer has
 * taken this one. Throws read errors.
 */
export async function* eventStream(
  options: EventStreamOptions,
): AsyncGenerator<readonly LedgerEvent[], void> {
  const { signal, ...rest } = options
  let given: Given | undefined
  let failure: { error: unknown } | undefined
  let wake = () => {}
  const fail = (error: unknown) => {
    failure ??= { error }
    wake()
  }
  const reader = new EventReader({
    ...rest,
    onError: fail,
    handle: (events, stopped) =>
      new Promise<void>(resolve => {
        stopped.addEventListener('abort', () => resolve(), { once: true })
        given = { events, taken: resolve }
        wake()
      }),
  })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  void reader.start().catch(fail)
  try {
    while (!signal.aborted) {
      if (failure) throw failure.error
      if (given) {
        const { events, taken } = given
        given = undefined
        yield events
        taken()
      } else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    await quietly(() => reader.stop())
  }
}
