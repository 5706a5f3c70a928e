import type { Ledger } from '../ledger/ledger.ts'
import { realTime } from '../time/time.ts'
import { UnknownCollector } from './collector.ts'

/**
 * Counts unknown failures: those parked for a label, and those that failed over to another provider. Each is counted
 * once, even if several processes collect and some are killed, because count and cursor change in one transaction.
 * @param signal stops between two pages of events
 * @returns how many this call counted
 */
export async function collectUnknowns(ledger: Ledger, signal?: AbortSignal): Promise<number> {
  if (signal?.aborted) return 0
  const errors: unknown[] = []
  const collector = new UnknownCollector({ ledger, time: realTime, onError: error => errors.push(error) })
  const close = () => void collector.close()
  signal?.addEventListener('abort', close, { once: true })
  await collector.look()
  signal?.removeEventListener('abort', close)
  await collector.close()
  if (errors.length > 0) throw errors[0]
  return collector.collected
}
