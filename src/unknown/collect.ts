import type { EventType, LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { UnknownSighting } from '../ledger/unknown.ts'
import { inOrder, whenThere } from './in-order.ts'

/** Name of the cursor up to which all processes together have collected. */
const CONSUMER = 'unknown'
/** What ends a try of an operation that may have failed in a way that nobody knows. */
const TYPES: readonly EventType[] = ['parked', 'attempted', 'handed_back']

/**
 * Counts failures that nobody knows: what was parked for a label, and what went on with another provider. Each is counted
 * once, however many processes collect and whichever of them is killed: count and cursor change together.
 * @param signal stops between two pages
 */
export async function collectUnknowns(ledger: Ledger, signal?: AbortSignal): Promise<number> {
  let collected = 0
  while (!signal?.aborted) {
    const from = await ledger.cursor(CONSUMER)
    const last = await ledger.lastEvent()
    const events = last > from ? await ledger.events({ after: from, types: TYPES }) : []
    const to = events.at(-1)?.id
    // Events that say nothing here are passed over when the next one that does is read.
    if (to === undefined) return collected
    const sightings = (await Promise.all(events.map(event => sightingOf(ledger, event)))).flat()
    const counted = await ledger.transaction(writes =>
      whenThere(writes.moveCursor(CONSUMER, from, to), isOurs =>
        isOurs ? inOrder(sightings, sighting => writes.recordUnknown(sighting)) : [],
      ),
    )
    collected += counted.length
  }
  return collected
}

async function sightingOf(
  ledger: Ledger,
  { type, operation, run, data, at }: LedgerEvent,
): Promise<UnknownSighting[]> {
  const isParked = type === 'parked' && data?.for === 'label'
  if (operation === undefined || data?.class !== 'unknown' || (type === 'parked' && !isParked)) return []
  const attempts = await ledger.attempts(operation)
  const number = data.attempt as number | undefined
  const attempt =
    attempts.find(tried => tried.number === number) ?? attempts.findLast(tried => tried.run === run)
  const failure = attempt?.failure
  // A label may have come in between: then its attempt says what it is.
  if (failure?.class !== 'unknown') return []
  if (!isParked && attempt?.verdict?.action !== 'failover') return []
  const { provider = failure.provider, model = failure.model } = attempt ?? {}
  return [
    {
      failure,
      at: attempt?.endedAt ?? at,
      outcome: isParked ? 'parked' : 'failover',
      operation,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
    },
  ]
}
