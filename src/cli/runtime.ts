import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Agents, agentsOf, healthSettings } from '../agent/index.ts'
import {
  dataFolder,
  type FlagValues,
  type LoadedConfig,
  loadConfig,
  policyOfConfig,
} from '../config/index.ts'
import type { ClassifyContext } from '../failure/index.ts'
import { IN_MEMORY, isLedgerError, LEDGER_NAME, openLedger, type SqliteLedger } from '../ledger/index.ts'
import { Health, type HealthEvent } from '../provider/index.ts'
import { realTime, type Time } from '../time/index.ts'
import type { Policy } from '../verdict/index.ts'
import type { Terminal } from './main.ts'

/** Flags of every command that works with the config and the state. */
export const RUNTIME_OPTIONS = {
  config: { type: 'string' },
  data: { type: 'string' },
} as const

/** These flags, for the usage of commands. */
export const RUNTIME_USAGE = `  --config F        mulligan.toml; default: MULLIGAN_CONFIG, else found upward from here, else the user's
  --data D          folder of the state; default: data of [queue], else mulligan in the state folder of the user`

/** These flags as they were given. */
export interface RuntimeFlags {
  config?: string | undefined
  data?: string | undefined
}

/** What a config means for the process that loaded it. */
export interface Parts {
  loaded: LoadedConfig
  agents: Agents
  classify: Pick<ClassifyContext, 'signatures' | 'timeZone'>
  /** The levels of policies that the config has. */
  policy: Policy
}

/** A config and the state that it works on. */
export interface Runtime extends Parts {
  /** The data folder. */
  folder: string
  /** Undefined where nothing was written yet, and nothing is to be. */
  ledger: SqliteLedger | undefined
  /** Whether a ledger was there before this process. */
  isBegun: boolean
  /** Health of the providers, shared with all processes on the same data folder. */
  health: Health
  /** Writes what is not written, and lets go of everything. */
  close(): Promise<void>
}

/** How a command uses the state. */
export interface RuntimeOptions {
  /**
   * What is done without a ledger: `make` makes one; `keep_out` goes on without any state, and `look` with an empty
   * one in memory, for commands that only look. Default `make`.
   */
  absent?: 'make' | 'keep_out' | 'look'
  /** Told that the state cannot be used; then the command goes on without it. Default: it fails. */
  onNoState?: (problem: string) => void
  /** Told of every transition in health that this process made. */
  onHealth?: (event: HealthEvent) => void
  /** Default the time of this machine. */
  time?: Time
}

/** Loads the config that the flags, the environment or the folder name. Throws a ConfigError. */
export function loadFor(flags: RuntimeFlags, { env, cwd }: Pick<Terminal, 'env' | 'cwd'>): LoadedConfig {
  return loadConfig({ flag: flags.config, env, cwd, flags: flagValues(flags) })
}

/** Flags that win over the file. */
export function flagValues({ data }: RuntimeFlags): FlagValues {
  return data === undefined ? {} : { 'queue.data': { flag: '--data', value: data } }
}

/** What a config means for this process. */
export function partsOf(loaded: LoadedConfig, { env }: Pick<Terminal, 'env'>): Parts {
  return {
    loaded,
    agents: agentsOf(loaded, env),
    policy: policyOfConfig(loaded.config),
    classify: {
      signatures: loaded.signatures,
      // Asking the system for its zone costs, and few texts need it.
      get timeZone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone
      },
    },
  }
}

/** Health of the providers of a config; without a ledger it is known to this process alone. */
export function healthOf(
  parts: Parts,
  ledger: SqliteLedger | undefined,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  { onHealth, time = realTime }: Pick<RuntimeOptions, 'onHealth' | 'time'> = {},
): Health {
  const { loaded, agents, classify } = parts
  return new Health({
    ...healthSettings(loaded, { env, cwd, agents, classify }),
    time,
    ...(ledger ? { store: ledger.providers } : {}),
    ...(onHealth ? { onEvent: onHealth } : {}),
  })
}

/** Opens everything that a command needs, from the config that is found. */
export async function openRuntime(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions = {},
): Promise<Runtime> {
  const loaded = loadFor(flags, terminal)
  const folder = dataFolder(loaded, terminal)
  const parts = partsOf(loaded, terminal)
  const isBegun = existsSync(join(folder, LEDGER_NAME))
  const ledger = await ledgerIn(folder, loaded, options)
  const health = healthOf(parts, ledger, terminal, options)
  return {
    ...parts,
    folder,
    ledger,
    isBegun,
    health,
    close: async () => {
      await health.dispose()
      await ledger?.close()
    },
  }
}

/** Said where there is no ledger, and none is made only to find it empty. */
export function nothingYet(folder: string): string {
  return `There is nothing yet: ${folder} holds no ledger; "mulligan submit" or "mulligan serve" makes one.\n`
}

/** Where the ledger is. */
export function ledgerFileFor(flags: RuntimeFlags, terminal: Pick<Terminal, 'env' | 'cwd'>): string {
  return join(dataFolder(loadFor(flags, terminal), terminal), LEDGER_NAME)
}

/** Opens the ledger of a data folder. */
export async function ledgerIn(
  folder: string,
  { config }: LoadedConfig,
  { absent = 'make', onNoState, time }: Pick<RuntimeOptions, 'absent' | 'onNoState' | 'time'> = {},
): Promise<SqliteLedger | undefined> {
  const file = join(folder, LEDGER_NAME)
  if (absent !== 'make' && !existsSync(file))
    return absent === 'look' ? openLedger({ file: IN_MEMORY, ...(time ? { time } : {}) }) : undefined
  try {
    return await openLedger({ file, durability: config.queue.durability, ...(time ? { time } : {}) })
  } catch (error) {
    if (!onNoState || !isLedgerError(error)) throw error
    onNoState(error.message)
    return undefined
  }
}

/** Does something with the runtime, and closes it whatever comes of it. */
export async function withRuntime<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await openRuntime(flags, terminal, options)
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}
