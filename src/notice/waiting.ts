import type { Engine } from '../engine/engine.ts'
import type { Ledger } from '../ledger/ledger.ts'

/**
 * How many operations wait for a provider, as the status counts them: an operation that another provider can serve does not.
 * @param engine knows of those that are not marked yet; without it, they are not counted
 */
export async function waitingFor(
  ledger: Pick<Ledger, 'counts'>,
  engine: Pick<Engine, 'unrecordedHolds'> | undefined,
  provider: string,
): Promise<number> {
  const { held } = await ledger.counts({ heldBy: provider })
  const more = (await engine?.unrecordedHolds())?.[provider] ?? 0
  return Math.max(0, held + more)
}
