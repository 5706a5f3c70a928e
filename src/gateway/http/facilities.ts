import type { LoadedConfig } from '../../config/loaded.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { NodeHealth as Health } from '../../provider/node-health.ts'
import type { OperationBackground } from '../../queue/operation-json.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Time } from '../../time/time.ts'
import type { WorkflowRegistry } from '../../workflow/registry.ts'
import { Problem } from './problem.ts'

/** What is in force under one load of the config. */
export interface InForce {
  loaded: LoadedConfig
  queue: Queue
  health: Health
  /** What can be started. */
  workflows: WorkflowRegistry
}

/** What requests work with. */
export interface Facilities {
  /** What is in force now. Undefined before the daemon is ready and once it stops. */
  current: () => InForce | undefined
  ledger: Ledger
  /** The data folder. */
  folder: string
  /** Environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  time: Time
}

/** What is in force now. Throws a {@link Problem} if nothing is. */
export function inForce({ current }: Facilities): InForce {
  const found = current()
  if (found) return found
  throw new Problem(503, 'not_ready', 'the daemon is starting or stopping; try again in a second', {
    headers: { 'retry-after': '1' },
  })
}

/** What is known about an operation besides its record. */
export function backgroundOf({ loaded, queue }: InForce, capability: string): OperationBackground {
  return { capability: queue.registry.get(capability), maxRetries: loaded.config.queue.maxRetries }
}
