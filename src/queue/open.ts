import { join } from 'node:path'
import type { Capability } from '../capability/capability.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { present } from '../failure/present.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import type { Durability } from '../ledger/sqlite/connection.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { checkNames, namesOf } from '../option/check-names.ts'

import { Queue } from './queue.ts'
import type { QueueParts } from './queue-deps.ts'
import { engineOn, type StoredLedger } from './stored-ledger.ts'

type Made = 'ledger' | 'engine' | 'registry' | 'secrets'

/** Settings of a queue with its own data folder. */
export interface OpenQueueOptions extends Omit<QueueParts, Made> {
  /** Folder of the ledger, the key and large results; created if missing. */
  data: string
  /**
   * Address of a PostgreSQL database that has the ledger: `postgres://role@host:5432/database?schema=mulligan`. Default: none,
   * the ledger is in the folder.
   */
  database?: string
  /** Limit of connections to that server. Default 8. */
  connections?: number
  /** The capabilities that this process can run. Default: none; then it can only submit and wait. */
  capabilities?: readonly Capability[] | CapabilityRegistry
  /** `normal` survives a crash of any process, `full` also a loss of power. Default `normal`. */
  durability?: Durability
  /** Whether a secret parameter may refer to this variable as `env:NAME`. Default: all except Mulligan's own key. */
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
  if (typeof options.data !== 'string' || options.data === '')
    throw new TypeError('openQueue: data must be the path of a folder, such as ".mulligan"')
  const { data, database, connections, capabilities = [], durability, mayRefer, ...parts } = options
  const { env = process.env } = parts
  const ledger = await ledgerOf(options)
  const registry =
    capabilities instanceof CapabilityRegistry ? capabilities : new CapabilityRegistry(capabilities)
  return new OpenedQueue({
    resultFolder: join(data, RESULTS_FOLDER),
    ...parts,
    // Hosts that share a ledger use its clock.
    time: parts.time ?? ledger.time,
    ledger,
    engine: await engineOn(ledger),
    registry,
    secrets: new Secrets({ folder: data, env, ...present({ mayRefer }) }),
  })
}

async function ledgerOf(options: OpenQueueOptions): Promise<StoredLedger> {
  const { data, database, connections, durability, time } = options
  const timed = time === undefined ? {} : { time }
  if (database === undefined)
    return openLedger({
      file: join(data, LEDGER_NAME),
      ...present({ durability }),
      ...timed,
    })
  const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts')
  return openPostgresLedger({ database, ...present({ connections }), ...timed })
}

/** The options of `openQueue`. */
export const OPEN_NAMES = namesOf<OpenQueueOptions>({
  data: true,
  database: true,
  connections: true,
  capabilities: true,
  durability: true,
  mayRefer: true,
  health: true,
  pools: true,
  routings: true,
  providerPolicy: true,
  policy: true,
  classify: true,
  prices: true,
  env: true,
  onProblem: true,
  time: true,
  random: true,
  runnerId: true,
  workflows: true,
  enabled: true,
  budgetMs: true,
  maxRetries: true,
  backoff: true,
  retryForMs: true,
  maxSnoozes: true,
  maxWaitMs: true,
  maxParkedMs: true,
  leaseMs: true,
  maxParamsBytes: true,
  maxResultBytes: true,
  resultLimitBytes: true,
  resultFolder: true,
})
