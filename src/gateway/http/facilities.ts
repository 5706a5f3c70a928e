import type { Agents } from '../../agent/agents-from.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { NodeHealth as Health } from '../../process/node-health.ts'
import type { OperationBackground } from '../../queue/operation-json.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Time } from '../../time/time.ts'
import type { WorkflowRegistry } from '../../workflow/registry.ts'
import { Problem } from './problem.ts'

/** Everything made from one load of the config. */
export interface InForce {
  loaded: LoadedConfig
  queue: Queue
  health: Health
  /** The workflows that can be started. */
  workflows: WorkflowRegistry
  /** The agents that run prompts, and the folder in which they work. Undefined if this process runs none. */
  prompting?: { agents: Agents; cwd: string }
}

/** What routes use: the parts in force, the ledger, the data folder. */
export interface Facilities {
  /** The parts in force. Undefined before the daemon is ready and once it stops. */
  current: () => InForce | undefined
  ledger: Ledger
  /** The data folder. */
  folder: string
  /** Environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  time: Time
}

/** The parts in force. Throws a {@link Problem} if the daemon is starting or stopping. */
export function inForce({ current }: Facilities): InForce {
  const found = current()
  if (found) return found
  throw new Problem(503, 'not_ready', 'the daemon is starting or stopping; try again in a second', {
    headers: { 'retry-after': '1' },
  })
}

/** The capability and the retry limit of an operation, for its JSON. */
export function backgroundOf({ loaded, queue }: InForce, capability: string): OperationBackground {
  return { capability: queue.registry.get(capability), maxRetries: loaded.config.queue.maxRetries }
}
