import { join } from 'node:path'
import type { Capability } from '../capability/capability.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import type { Durability } from '../ledger/sqlite/connection.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { checkNames } from '../option/check-names.ts'
import { OPEN_NAMES } from './option-names.ts'
import { Queue } from './queue.ts'
import type { QueueParts } from './queue-deps.ts'

type Made = 'ledger' | 'engine' | 'registry' | 'secrets'

/** Settings of a queue in a folder of its own. */
export interface OpenQueueOptions extends Omit<QueueParts, Made> {
  /** Folder of the ledger, the key and large results; made if it is not there. */
  data: string
  /** What can be run here. Default nothing: then it can submit and wait. */
  capabilities?: readonly Capability[] | CapabilityRegistry
  /** `normal` survives a crash of any process, `full` also a loss of power. Default `normal`. */
  durability?: Durability
  /** Whether a secret parameter may refer to this variable as `env:NAME`. Default: to all but Mulligan's own key. */
  mayRefer?: (variable: string) => boolean
}

/** Folder of large results in the data folder. */
export const RESULTS_FOLDER = 'results'

/** A queue with its own ledger and engine, which are closed with it. */
export class OpenedQueue extends Queue {
  /** Closes the queue as {@link Queue.close} does, then its engine and its ledger. */
  override async close(options: { graceMs?: number } = {}): Promise<void> {
    await super.close(options)
    await this.engine.close()
    await this.ledger.close()
  }
}

/** Opens the queue in a folder that several processes may share. */
export async function openQueue(options: OpenQueueOptions): Promise<OpenedQueue> {
  checkNames('openQueue', options, OPEN_NAMES)
  const { data, capabilities = [], durability, mayRefer, ...parts } = options
  const { time, env = process.env } = parts
  const ledger = await openLedger({
    file: join(data, LEDGER_NAME),
    ...(durability === undefined ? {} : { durability }),
    ...(time === undefined ? {} : { time }),
  })
  const registry =
    capabilities instanceof CapabilityRegistry ? capabilities : new CapabilityRegistry(capabilities)
  return new OpenedQueue({
    resultFolder: join(data, RESULTS_FOLDER),
    ...parts,
    ledger,
    engine: new EmbeddedEngine({ ledger }),
    registry,
    secrets: new Secrets({ folder: data, env, ...(mayRefer ? { mayRefer } : {}) }),
  })
}
