import { isCapabilityError } from '../../capability/error.ts'
import { inert, type KnownCapabilities, knownCapabilities } from '../../capability/from-config.ts'
import { promptCapabilities } from '../../capability/prompt-capability.ts'
import { CapabilityRegistry } from '../../capability/registry.ts'
import type { ActingParts, Parts } from '../../daemon/config-parts.ts'
import { queueOf, registryOf } from '../../daemon/config-queue.ts'
import type { Queue } from '../../queue/queue.ts'
import { problemInWords, type QueueProblem } from '../../queue/queue-deps.ts'
import { engineOn, type StoredLedger } from '../../queue/stored-ledger.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import type { Terminal } from '../terminal.ts'
import { recordCommand } from './changing.ts'
import { isFailure, openActingRuntime, openRuntime, type Runtime, type RuntimeFlags } from './runtime.ts'

/** A runtime with its queue. */
export interface QueueRuntime extends Runtime {
  ledger: StoredLedger
  queue: Queue
  /** The capabilities known to this process. */
  known: KnownCapabilities
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
    const result = await work({ ...runtime, ledger, queue, known })
    if (!isFailure(result)) await recordCommand(ledger, terminal)
    return result
  }
  return cleaningUp(
    withAll,
    () => queue?.close(),
    () => engine.close(),
    () => runtime.close(),
  )
}
