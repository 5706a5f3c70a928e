import { join } from 'node:path'
import { poolsOf } from '../agent/from-config.ts'
import { isCapabilityError } from '../capability/error.ts'
import {
  capabilitiesOf,
  inert,
  type KnownCapabilities,
  knownCapabilities,
} from '../capability/from-config.ts'
import {
  PROMPT_CAPABILITY,
  promptCapabilities,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/prompt-capability.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { agentRunner } from '../capability/run-agent.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import type { Config } from '../config/schema/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { NodeHealth as Health } from '../provider/node-health.ts'
import { RESULTS_FOLDER } from '../queue/open.ts'
import { Queue } from '../queue/queue.ts'
import { problemInWords, type QueueProblem } from '../queue/queue-deps.ts'
import type { QueueSettings } from '../queue/settings.ts'
import { engineOn, type StoredLedger } from '../queue/stored-ledger.ts'
import { cleaningUp } from '../time/clean-up.ts'
import type { Time } from '../time/time.ts'
import { ALL_WORKFLOWS } from '../workflow/workflow-service.ts'
import type { Terminal } from './main.ts'
import {
  type ActingParts,
  openActingRuntime,
  openRuntime,
  type Parts,
  type Runtime,
  type RuntimeFlags,
} from './runtime.ts'

/** A runtime with its queue. */
export interface QueueRuntime extends Runtime {
  ledger: StoredLedger
  queue: Queue
  /** The capabilities known to this process. */
  known: KnownCapabilities
}

/** Collaborators of a queue besides the parts of the config. */
export interface QueueDeps {
  folder: string
  ledger: StoredLedger
  engine: Engine
  health: Health
  registry: CapabilityRegistry
  onProblem: (problem: QueueProblem) => void
  time?: Time
}

/** The queue of a config. */
export function queueOf(parts: Parts, deps: QueueDeps, { env }: Pick<Terminal, 'env'>): Queue {
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
    surfaces: parts.loaded.config.surfaces.map(({ name }) => name),
    policy: parts.policy,
    classify: parts.classify,
    env,
    onProblem,
    workflows: [ALL_WORKFLOWS],
    ...(time ? { time } : {}),
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
export const OWN_CAPABILITIES: readonly string[] = [PROMPT_CAPABILITY, REPEATABLE_PROMPT_CAPABILITY]

/** Everything this process can run: the config's capabilities and the prompts of `mulligan run --queue`. */
export async function registryOf(
  parts: ActingParts,
  { cwd }: Pick<Terminal, 'cwd'>,
  { reload = false }: { reload?: boolean } = {},
): Promise<CapabilityRegistry> {
  const { loaded, agents, classify } = parts
  const runAgent = agentRunner({ agents, cwd, classify })
  const registry = await capabilitiesOf(loaded, { runAgent, cwd, reload })
  for (const capability of promptCapabilities(runAgent)) registry.add(capability, 'mulligan itself')
  return registry
}

/** The capabilities as far as they are known without loading modules or starting programs. */
async function lookAtCapabilities(
  { loaded }: Parts,
  { cwd }: Pick<Terminal, 'cwd'>,
): Promise<KnownCapabilities> {
  const known = await knownCapabilities(loaded, cwd)
  for (const capability of promptCapabilities(async () => undefined))
    known.registry.add(inert(capability), 'mulligan itself')
  return known
}

/**
 * Opens the queue to read or submit, without loading modules or starting programs, and always closes it. Wrongly declared
 * capabilities are reported and do not prevent reading, but submitting needs them, to check parameters and encrypt
 * secrets. With `look`, a missing ledger is not created but reads as empty.
 */
export async function withQueue<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  work: (runtime: QueueRuntime) => Promise<T>,
  {
    absent = 'make',
    needsCapabilities = false,
    shows = false,
  }: { absent?: 'make' | 'look'; needsCapabilities?: boolean; shows?: boolean } = {},
): Promise<T> {
  const runtime = await openRuntime(flags, terminal, { absent, shows })
  return withQueueOf(runtime, terminal, work, async () => {
    try {
      return await lookAtCapabilities(runtime, terminal)
    } catch (error) {
      if (!isCapabilityError(error) || needsCapabilities) throw error
      terminal.stderr(`mulligan: cannot load capabilities: ${error.message}\n`)
      return { registry: new CapabilityRegistry(), ofModules: [], mayHaveMore: true }
    }
  })
}

/** Opens the queue under a trusted config, and always closes it. */
export async function withActingQueue<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  work: (runtime: QueueRuntime & ActingParts) => Promise<T>,
): Promise<T> {
  const runtime = await openActingRuntime(flags, terminal)
  return withQueueOf(runtime, terminal, work, async () => ({
    registry: await registryOf(runtime, terminal),
    ofModules: [],
    mayHaveMore: false,
  }))
}

async function withQueueOf<R extends Runtime, T>(
  runtime: R,
  terminal: Terminal,
  work: (runtime: R & QueueRuntime) => Promise<T>,
  capabilities: () => Promise<KnownCapabilities>,
): Promise<T> {
  const ledger = runtime.ledger as StoredLedger
  const engine = await engineOn(ledger)
  let queue: Queue | undefined
  const withAll = async () => {
    const known = await capabilities()
    const { registry } = known
    const onProblem = (problem: QueueProblem) => terminal.stderr(`mulligan: ${problemInWords(problem)}\n`)
    const { folder, health } = runtime
    queue = queueOf(runtime, { folder, ledger, engine, health, registry, onProblem }, terminal)
    return await work({ ...runtime, ledger, queue, known })
  }
  return cleaningUp(
    withAll,
    () => queue?.close(),
    () => engine.close(),
    () => runtime.close(),
  )
}
