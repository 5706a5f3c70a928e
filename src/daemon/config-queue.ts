import { join } from 'node:path'
import { poolsOf } from '../agent/from-config.ts'
import { poolSettings } from '../agent/health-from-config.ts'
import { capabilitiesOf } from '../capability/from-config.ts'
import {
  CONTINUE_CAPABILITY,
  PROMPT_CAPABILITY,
  promptCapabilities,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/prompt-capability.ts'
import type { CapabilityRegistry } from '../capability/registry.ts'
import { agentRunner } from '../capability/run-agent.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import type { Config } from '../config/schema/config.ts'
import type { Engine } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { NodeHealth as Health } from '../process/node-health.ts'
import { RESULTS_FOLDER } from '../queue/open.ts'
import { Queue } from '../queue/queue.ts'
import type { QueueProblem } from '../queue/queue-deps.ts'
import type { QueueSettings } from '../queue/settings.ts'
import type { StoredLedger } from '../queue/stored-ledger.ts'
import type { Time } from '../time/time.ts'
import { ALL_WORKFLOWS } from '../workflow/workflow-service.ts'
import type { ActingParts, Parts } from './config-parts.ts'
import type { Host } from './host.ts'

/** What a queue is made of besides the parts of the config. */
export interface QueueParts {
  folder: string
  ledger: StoredLedger
  engine: Engine
  health: Health
  registry: CapabilityRegistry
  onProblem: (problem: QueueProblem) => void
  time?: Time
}

/** The queue of a config. */
export function queueOf(parts: Parts, deps: QueueParts, { env }: Pick<Host, 'env'>): Queue {
  const { folder, ledger, engine, health, registry, onProblem, time } = deps
  return new Queue({
    ...queueSettings(parts.loaded.config),
    resultFolder: join(folder, RESULTS_FOLDER),
    ledger,
    engine,
    health,
    registry,
    secrets: new Secrets({ folder, env }),
    pools: poolsOf(parts.loaded.config),
    routings: new Map(parts.loaded.config.pools.map(pool => [pool.id, poolSettings(pool)])),
    policy: parts.policy,
    classify: parts.classify,
    prices: parts.prices,
    env,
    onProblem,
    workflows: [ALL_WORKFLOWS],
    ...present({ time }),
  })
}

function queueSettings({ queue }: Config): QueueSettings {
  const { enabled, budgetMs, backoff, maxRetries, retryForMs, maxSnoozes, maxWaitMs, maxParkedMs, leaseMs } =
    queue
  const { maxParamsBytes, maxResultBytes } = queue
  const sizes = { maxParamsBytes, maxResultBytes }
  const common = {
    enabled,
    budgetMs,
    backoff,
    maxRetries,
    maxSnoozes,
    maxWaitMs,
    maxParkedMs,
    leaseMs,
    ...sizes,
  }
  return retryForMs === undefined ? common : { ...common, retryForMs }
}

/** Mulligan's own capabilities, present in every process. */
export const OWN_CAPABILITIES: readonly string[] = [
  PROMPT_CAPABILITY,
  REPEATABLE_PROMPT_CAPABILITY,
  CONTINUE_CAPABILITY,
]

/** Everything this process can run: the config's capabilities and the prompts of `mulligan run --queue`. */
export async function registryOf(
  parts: ActingParts,
  { cwd }: Pick<Host, 'cwd'>,
  { reload = false }: { reload?: boolean } = {},
): Promise<CapabilityRegistry> {
  const { loaded, agents, classify } = parts
  const runAgent = agentRunner({ agents, cwd, classify })
  const registry = await capabilitiesOf(loaded, { runAgent, cwd, reload })
  for (const capability of promptCapabilities(runAgent)) registry.add(capability, 'mulligan itself')
  return registry
}
