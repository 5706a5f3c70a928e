import { nearestOrKnown } from '../option/nearest.ts'
import { QueueError } from './error.ts'
import type { Queue } from './queue.ts'

/**
 * Checks that a capability belongs to this process, to a live runner, or to an existing operation. Throws a {@link QueueError}.
 */
export async function checkCapabilityName({ registry, ledger, engine }: Queue, name: string): Promise<void> {
  const known = new Set([
    ...registry.names,
    ...(await ledger.runners()).flatMap(({ capabilities }) => capabilities),
    ...(await engine.pauses()).capabilities,
  ])
  if (known.has(name) || (await ledger.counts({ capability: name })).total > 0) return
  throw new QueueError(
    'unknown_capability',
    `unknown capability ${JSON.stringify(name)}; ${nearestOrKnown(name, [...known])}`,
  )
}
