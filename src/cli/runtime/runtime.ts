import { join } from 'node:path'
import { dataFolder } from '../../config/data-folder.ts'
import { ConfigError } from '../../config/error.ts'
import { loadConfig } from '../../config/load.ts'
import { loadBroken } from '../../config/load-broken.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import type { FlagValues } from '../../config/override.ts'
import { isThere } from '../../config/private-folder.ts'
import { resolveText } from '../../config/reference.ts'
import { UntrustedConfig } from '../../config/untrusted.ts'
import {
  type ActingParts,
  actingPartsOf,
  type BesideConfig,
  healthOf,
  type Parts,
  partsOf,
} from '../../daemon/config-parts.ts'
import { CallUnknowns } from '../../ledger/call-unknowns.ts'
import { isLedgerError } from '../../ledger/error.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { IN_MEMORY } from '../../ledger/sqlite/connection.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { NodeHealth as Health } from '../../process/node-health.ts'
import type { HealthEvent } from '../../provider/event.ts'
import type { StoredLedger } from '../../queue/stored-ledger.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { realTime } from '../../time/time.ts'
import type { Terminal } from '../terminal.ts'
import { recordCommand } from './changing.ts'
import { ensureTrusted } from './ensure-trusted.ts'
import { HealthInLedger } from './health-in-ledger.ts'

/** Flags of every command that uses the config and the ledger. */
export const RUNTIME_OPTIONS = {
  config: { type: 'string' },
  data: { type: 'string' },
  database: { type: 'string' },
} as const

/** Help text for these flags. */
export const RUNTIME_USAGE = `  --config FILE     mulligan.toml; default: MULLIGAN_CONFIG, else the nearest one in this folder or above, else the user's
  --data DIR        data folder; default: [queue] data, else mulligan in the user's state folder
  --database URL    ledger on PostgreSQL; default: MULLIGAN_QUEUE_DATABASE, else [queue] database, else a file in DIR`

/** Values of these flags. */
export interface RuntimeFlags {
  config?: string | undefined
  data?: string | undefined
  database?: string | undefined
}

/** A config with its ledger and provider health. */
export interface Runtime extends Parts {
  /** The data folder. */
  folder: string
  /** Undefined if there is none and none should be created. */
  ledger: StoredLedger | undefined
  /** Where the ledger is or would be, for messages. */
  place: string
  /** Whether the ledger existed before this process. */
  isBegun: boolean
  /** Health of the providers, shared with all processes on the same data folder. */
  health: Health
  /** Flushes and closes everything. */
  close(): Promise<void>
}

/** A trusted config with its ledger and provider health. */
export type ActingRuntime = Runtime & ActingParts

/** How a command uses the ledger. */
export interface RuntimeOptions extends BesideConfig {
  /**
   * What to do if the ledger does not exist: `make` creates it; for read-only commands, `keep_out` works without one and
   * `look` with an empty one in memory. Default `make`.
   */
  absent?: 'make' | 'keep_out' | 'look'
  /** Whether the command only shows what is there: then a broken config is reported, and does not prevent it. Default false. */
  shows?: boolean
  /** Called if the ledger cannot be used; the command then continues without it. Default: the command fails. */
  onNoState?: (problem: string) => void
}

/** Loads the config named by the flags or the environment, or found from the working directory. Throws a ConfigError. */
export function loadFor(flags: RuntimeFlags, { env, cwd }: Pick<Terminal, 'env' | 'cwd'>): LoadedConfig {
  return loadConfig({ flag: flags.config, env, cwd, flags: flagValues(flags) })
}

/** Flags that override the config file. */
export function flagValues({ data, database }: RuntimeFlags): FlagValues {
  return {
    ...(data === undefined ? {} : { 'queue.data': { flag: '--data', value: data } }),
    ...(database === undefined ? {} : { 'queue.database': { flag: '--database', value: database } }),
  }
}

/** Opens the runtime of a read-only command. */
export async function openRuntime(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions = {},
): Promise<Runtime> {
  const loaded = options.shows ? loadToShow(flags, terminal) : loadFor(flags, terminal)
  return runtimeOf(partsOf(loaded), terminal, options)
}

/** Loads the config for a command that only shows what is there. If it is broken, says so and uses the defaults. */
export function loadToShow(flags: RuntimeFlags, terminal: Terminal): LoadedConfig {
  try {
    return loadFor(flags, terminal)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { env, cwd } = terminal
    const loaded = loadBroken({ flag: flags.config, env, cwd, flags: flagValues(flags) })
    terminal.stderr(
      `mulligan: the config is broken, so all but its ledger and schedules has its default:\n${error.message}\n`,
    )
    return loaded
  }
}

/** Opens the runtime of a command that acts, if the user trusts the config. */
export async function openActingRuntime(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions = {},
): Promise<ActingRuntime> {
  const loaded = await ensureTrusted(loadFor(flags, terminal), terminal)
  return runtimeOf(actingPartsOf(loaded, terminal), terminal, options)
}

async function runtimeOf<P extends Parts>(
  parts: P,
  terminal: Terminal,
  options: RuntimeOptions,
): Promise<Runtime & P> {
  const { loaded } = parts
  const folder = dataFolder(loaded, terminal)
  const address = databaseOf(loaded, terminal)
  const hadFile = isThere(join(folder, LEDGER_NAME))
  const ledger = await ledgerOf(folder, loaded, terminal, options)
  const isBegun = ledger && 'wasThere' in ledger ? ledger.wasThere : address === undefined && hadFile
  if (ledger) await parts.classify.signatures.read(ledger)
  const healthInLedger: HealthInLedger | undefined =
    ledger && new HealthInLedger(ledger, () => health, options.time ?? realTime)
  const onHealth = (event: HealthEvent) => {
    healthInLedger?.onEvent(event)
    options.onHealth?.(event)
  }
  const time = options.time ?? ledger?.time ?? realTime
  const health: Health = healthOf(parts, ledger, terminal, { ...options, time, onHealth })
  return {
    ...parts,
    folder,
    ledger,
    place: address === undefined ? folder : await labelOf(address),
    isBegun,
    health,
    close: async () => {
      await healthInLedger?.close()
      await health.dispose()
      await ledger?.close()
    },
  }
}

/** Records unknown failures of a command's calls, unless the config turns that off. */
export function unknownsOf({ ledger, loaded }: Pick<Runtime, 'ledger' | 'loaded'>): CallUnknowns {
  return new CallUnknowns({
    ledger: loaded.config.queue.recordUnknowns ? ledger : undefined,
    onError: error =>
      process.emitWarning(`cannot record an unknown failure: ${(error as Error).message}`, {
        code: 'MULLIGAN_LEDGER',
      }),
  })
}

/** Message for a missing ledger, which read-only commands do not create. */
export function nothingYet(place: string): string {
  return `Nothing yet: no ledger in ${place}; "mulligan submit" or "mulligan serve" creates one.\n`
}

/** Path of the ledger file. */
export function ledgerFileFor(loaded: LoadedConfig, terminal: Pick<Terminal, 'env' | 'cwd'>): string {
  return join(dataFolder(loaded, terminal), LEDGER_NAME)
}

/** The address of the PostgreSQL server with the ledger; undefined if the ledger is in the data folder. */
export function databaseOf(loaded: LoadedConfig, { env }: Pick<Terminal, 'env'>): string | undefined {
  const { database } = loaded.config.queue
  if (database === undefined) return undefined
  // A stranger's config must not make us connect to its server.
  if (!loaded.isTrusted && loaded.originOf('queue.database')?.from === 'file')
    throw new UntrustedConfig(loaded.file as string)
  return resolveText(database, { env })
}

async function labelOf(address: string): Promise<string> {
  const { addressOf } = await import('../../ledger/postgres/address.ts')
  return addressOf(address).label
}

/** If the ledger is on a server, calls `ask`, which rejects with how to do it there. Does nothing for a ledger in a file. */
export async function refuseOnServer(
  loaded: LoadedConfig,
  terminal: Pick<Terminal, 'env' | 'cwd'>,
  ask: (ledger: StoredLedger) => Promise<unknown>,
): Promise<void> {
  if (databaseOf(loaded, terminal) === undefined) return
  const ledger = (await ledgerOf(dataFolder(loaded, terminal), loaded, terminal)) as StoredLedger
  await cleaningUp(
    () => ask(ledger),
    () => ledger.close(),
  )
}

/** Opens the ledger of a config, on its server or in the data folder. */
export async function ledgerOf(
  folder: string,
  loaded: LoadedConfig,
  terminal: Pick<Terminal, 'env'>,
  options: Pick<RuntimeOptions, 'absent' | 'onNoState' | 'time'> = {},
): Promise<StoredLedger | undefined> {
  const { absent = 'make', onNoState, time } = options
  const address = databaseOf(loaded, terminal)
  const file = join(folder, LEDGER_NAME)
  const timed = time ? { time } : {}
  const instead = () => (absent === 'look' ? openLedger({ file: IN_MEMORY, ...timed }) : undefined)
  if (address === undefined && absent !== 'make' && !isThere(file)) return instead()
  try {
    if (address === undefined)
      return await openLedger({ file, durability: loaded.config.queue.durability, ...timed })
    const { openPostgresLedger } = await import('../../ledger/postgres/postgres-ledger.ts')
    return await openPostgresLedger({
      database: address,
      create: absent === 'make',
      connections: loaded.config.queue.connections,
      ...timed,
    })
  } catch (error) {
    if (isLedgerError(error) && error.code === 'gone' && absent !== 'make') return instead()
    if (!onNoState || !isLedgerError(error)) throw error
    onNoState(error.message)
    return undefined
  }
}

/** Runs read-only work on a runtime, and always closes the runtime. */
export async function withRuntime<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  return closing(await openRuntime(flags, terminal, options), terminal, work)
}

/** Runs work that acts on a trusted config, and always closes the runtime. */
export async function withActingRuntime<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions,
  work: (runtime: ActingRuntime) => Promise<T>,
): Promise<T> {
  return closing(await openActingRuntime(flags, terminal, options), terminal, work)
}

function closing<R extends Runtime, T>(
  runtime: R,
  terminal: Terminal,
  work: (runtime: R) => Promise<T>,
): Promise<T> {
  return cleaningUp(
    async () => {
      const result = await work(runtime)
      if (!isFailure(result)) await recordCommand(runtime.ledger, terminal)
      return result
    },
    () => runtime.close(),
  )
}

/** Whether the work of a command ended with an exit code that says it changed nothing. */
export function isFailure(result: unknown): boolean {
  return typeof result === 'number' && result !== 0
}
