import { present } from '../failure/present.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { UnknownSighting } from '../ledger/unknown.ts'

/**
 * The unknown failure behind an event, if any: its try was parked for a label, failed over to another provider, or ended the
 * operation, because it may not run again.
 */
export async function sightingOf(
  ledger: Pick<Ledger, 'attempts'>,
  { type, operation, run, data, at }: LedgerEvent,
): Promise<UnknownSighting[]> {
  const isParked = type === 'parked' && data?.for === 'label'
  if (operation === undefined || data?.class !== 'unknown' || (type === 'parked' && !isParked)) return []
  const attempts = await ledger.attempts(operation)
  const number = data.attempt as number | undefined
  const attempt =
    attempts.find(tried => tried.number === number) ?? attempts.findLast(tried => tried.run === run)
  const failure = attempt?.failure
  // A label given meanwhile has already reclassified the attempt.
  if (failure?.class !== 'unknown') return []
  const isEnd = type === 'dead' && attempt?.verdict?.action === 'cancel' && failure.kind !== 'command_failed'
  if (!isParked && !isEnd && attempt?.verdict?.action !== 'failover') return []
  const { provider = failure.provider, model = failure.model } = attempt ?? {}
  return [
    {
      failure,
      at: attempt?.endedAt ?? at,
      outcome: isParked ? 'parked' : isEnd ? 'ended' : 'failover',
      operation,
      ...present({ provider, model }),
    },
  ]
}
