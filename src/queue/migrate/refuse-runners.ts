import { LedgerError } from '../../ledger/error.ts'
import type { Ledger } from '../../ledger/ledger.ts'

/** Throws while runners use a ledger: what they write meanwhile would be lost. */
export async function refuseRunners(ledger: Ledger, place: string): Promise<void> {
  const runners = await ledger.runners()
  if (runners.length > 0)
    throw new LedgerError(
      'in_use',
      `${runners.length === 1 ? 'a runner uses' : `${runners.length} runners use`} ${place} (${runners.map(({ id, label }) => label ?? id).join(', ')}); stop them first, or wait a minute after they were killed`,
    )
}
