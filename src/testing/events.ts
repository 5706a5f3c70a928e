import assert from 'node:assert/strict'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** An expected event: its type, optionally with its run and some of its data. */
export type ExpectedEvent = EventType | { type: EventType; run?: number; data?: Record<string, unknown> }

type Source = Ledger | { ledger: Ledger }

/**
 * Asserts that an operation had exactly these events, in this order. Compares only the given fields. Throws an
 * `AssertionError` that shows both lists.
 */
export async function expectEvents(
  source: Source,
  operation: string,
  expected: readonly ExpectedEvent[],
): Promise<void> {
  const events = await ledgerOf(source).timeline(operation)
  const wanted = expected.map(event => (typeof event === 'string' ? { type: event } : event))
  const found = events.map((event, index) => seen(event, wanted[index]))
  assert.deepEqual(found, wanted)
}

/** Resolves with the first event that `isWanted` accepts, including past events and those of other processes. */
export async function nextEvent(
  source: Source,
  isWanted: (event: LedgerEvent) => boolean,
  { after = 0, signal }: { after?: number; signal?: AbortSignal } = {},
): Promise<LedgerEvent> {
  const ledger = ledgerOf(source)
  for (let cursor = after; ; ) {
    signal?.throwIfAborted()
    const { promise: changed, resolve } = Promise.withResolvers<void>()
    const stop = ledger.onChange(resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    try {
      const events = await ledger.events({ after: cursor })
      const event = events.find(isWanted)
      if (event) return event
      const last = events.at(-1)
      if (last) cursor = last.id
      else await changed
    } finally {
      stop()
    }
  }
}

/** The part of an event that the test names. */
function seen(event: LedgerEvent, wanted: Exclude<ExpectedEvent, string> | undefined): object {
  const { type, run, data = {} } = event
  if (!wanted) return { type }
  const about = wanted.data && Object.fromEntries(Object.keys(wanted.data).map(key => [key, data[key]]))
  return { type, ...('run' in wanted ? { run } : {}), ...(about ? { data: about } : {}) }
}

function ledgerOf(source: Source): Ledger {
  return 'ledger' in source ? source.ledger : source
}
