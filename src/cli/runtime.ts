import { join } from 'node:path'
import type { Agents } from '../agent/agents-from.ts'
import { agentsOf } from '../agent/from-config.ts'
import { healthSettings, lookingHealthSettings } from '../agent/health-from-config.ts'
import { dataFolder } from '../config/data-folder.ts'
import { loadConfig } from '../config/load.ts'
import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import type { FlagValues } from '../config/override.ts'
import { policyOfConfig } from '../config/policy-levels.ts'
import { isThere } from '../config/private-folder.ts'
import { CallUnknowns } from '../ledger/call-unknowns.ts'
import { isLedgerError } from '../ledger/error.ts'
import { LearnedSignatures } from '../ledger/learned-signatures.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import { IN_MEMORY } from '../ledger/sqlite/connection.ts'
import { openLedger, type SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import type { HealthEvent } from '../provider/event.ts'
import { NodeHealth as Health } from '../provider/node-health.ts'
import { realTime, type Time } from '../time/time.ts'
import type { Policy } from '../verdict/policy.ts'
import { ensureTrusted } from './ensure-trusted.ts'
import { HealthInLedger } from './health-in-ledger.ts'
import type { Terminal } from './main.ts'

/** Flags of every command that works with the config and the state. */
export const RUNTIME_OPTIONS = {
  config: { type: 'string' },
  data: { type: 'string' },
} as const

/** These flags, for the usage of commands. */
export const RUNTIME_USAGE = `  --config FILE     mulligan.toml; default: MULLIGAN_CONFIG, else the nearest one in this folder or above, else the user's
  --data DIR        state folder; default: [queue] data, else mulligan in the user's state folder`

/** These flags as they were given. */
export interface RuntimeFlags {
  config?: string | undefined
  data?: string | undefined
}

/** What a read-only process needs from a config. */
export interface Parts {
  loaded: LoadedConfig
  classify: { signatures: LearnedSignatures; readonly timeZone: string }
  /** The levels of policies that the config has. */
  policy: Policy
}

/** What a process needs that acts on a config, and therefore trusts it. */
export interface ActingParts extends Parts {
  loaded: TrustedConfig
  agents: Agents
}

/** A config and the state that it is about. */
export interface Runtime extends Parts {
  /** The data folder. */
  folder: string
  /** Undefined if there is none, and none is to be created. */
  ledger: SqliteLedger | undefined
  /** Whether a ledger was there before this process. */
  isBegun: boolean
  /** Health of the providers, shared with all processes on the same data folder. */
  health: Health
  /** Flushes and closes everything. */
  close(): Promise<void>
}

/** A config to act by, and the state that it works on. */
export type ActingRuntime = Runtime & ActingParts

/** How a command uses the state. */
export interface RuntimeOptions {
  /**
   * What to do without a ledger: `make` creates one; for read-only commands, `keep_out` works without state and `look`
   * with an empty one in memory. Default `make`.
   */
  absent?: 'make' | 'keep_out' | 'look'
  /** Called if the state cannot be used; the command then continues without it. Default: it fails. */
  onNoState?: (problem: string) => void
  /** Called for every health transition this process made. */
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

/** The parts for read-only use: nothing can be started or loaded. */
export function partsOf(loaded: LoadedConfig): Parts {
  return {
    loaded,
    policy: policyOfConfig(loaded.config),
    classify: {
      signatures: new LearnedSignatures(loaded.signatures, { mayTrust: loaded.isTrusted }),
      // Asking the system for its zone costs, and few texts need it.
      get timeZone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone
      },
    },
  }
}

/** The parts for acting on a config. */
export function actingPartsOf(loaded: TrustedConfig, { env }: Pick<Terminal, 'env'>): ActingParts {
  // Spreading would ask for the zone at once.
  return Object.assign(partsOf(loaded), { loaded, agents: agentsOf(loaded, env) })
}

/** Health of the providers of a config; without a ledger it is known to this process alone. */
export function healthOf(
  parts: Parts | ActingParts,
  ledger: SqliteLedger | undefined,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  { onHealth, time = realTime }: Pick<RuntimeOptions, 'onHealth' | 'time'> = {},
): Health {
  return new Health({
    ...('agents' in parts
      ? healthSettings(parts.loaded, { env, cwd, agents: parts.agents, classify: parts.classify })
      : lookingHealthSettings(parts.loaded, { env })),
    signatures: parts.classify.signatures,
    time,
    ...(ledger ? { store: ledger.providers } : {}),
    ...(onHealth ? { onEvent: onHealth } : {}),
  })
}

/** Opens what a read-only command needs. */
export async function openRuntime(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions = {},
): Promise<Runtime> {
  return runtimeOf(partsOf(loadFor(flags, terminal)), terminal, options)
}

/** Opens everything a command needs, if its user trusts the config. */
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
  const isBegun = isThere(join(folder, LEDGER_NAME))
  const ledger = await ledgerIn(folder, loaded, options)
  if (ledger) await parts.classify.signatures.read(ledger)
  const told: HealthInLedger | undefined =
    ledger && new HealthInLedger(ledger, () => health, options.time ?? realTime)
  const onHealth = (event: HealthEvent) => {
    told?.onEvent(event)
    options.onHealth?.(event)
  }
  const health: Health = healthOf(parts, ledger, terminal, { ...options, onHealth })
  return {
    ...parts,
    folder,
    ledger,
    isBegun,
    health,
    close: async () => {
      await told?.close()
      await health.dispose()
      await ledger?.close()
    },
  }
}

/** Records failures of the calls of a command that nobody knows, unless the config says not to. */
export function unknownsOf({ ledger, loaded }: Pick<Runtime, 'ledger' | 'loaded'>): CallUnknowns {
  return new CallUnknowns({
    ledger: loaded.config.queue.recordUnknowns ? ledger : undefined,
    onError: error =>
      process.emitWarning(`cannot record an unknown failure: ${(error as Error).message}`, {
        code: 'MULLIGAN_LEDGER',
      }),
  })
}

/** Printed if there is no ledger; none is created just to find it empty. */
export function nothingYet(folder: string): string {
  return `Nothing yet: no ledger in ${folder}; "mulligan submit" or "mulligan serve" creates one.\n`
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
  if (absent !== 'make' && !isThere(file))
    return absent === 'look' ? openLedger({ file: IN_MEMORY, ...(time ? { time } : {}) }) : undefined
  try {
    return await openLedger({ file, durability: config.queue.durability, ...(time ? { time } : {}) })
  } catch (error) {
    if (!onNoState || !isLedgerError(error)) throw error
    onNoState(error.message)
    return undefined
  }
}

/** Opens the state to read it, and always closes it. */
export async function withRuntime<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  return closing(await openRuntime(flags, terminal, options), work)
}

/** Acts on the config, and always closes everything. */
export async function withActingRuntime<T>(
  flags: RuntimeFlags,
  terminal: Terminal,
  options: RuntimeOptions,
  work: (runtime: ActingRuntime) => Promise<T>,
): Promise<T> {
  return closing(await openActingRuntime(flags, terminal, options), work)
}

async function closing<R extends Runtime, T>(runtime: R, work: (runtime: R) => Promise<T>): Promise<T> {
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}
