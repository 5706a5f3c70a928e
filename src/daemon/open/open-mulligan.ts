import { basename, extname, join } from 'node:path'
import type { CallOptions } from '../../call/options.ts'
import type { Prices } from '../../call/price.ts'
import { dataFolder } from '../../config/data-folder.ts'
import { listPrices } from '../../config/list-prices.ts'
import { loadConfig } from '../../config/load.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import { pricesOf } from '../../config/prices.ts'
import { resolveText } from '../../config/reference.ts'
import { UntrustedConfig } from '../../config/untrusted.ts'
import { BillKeeper } from '../../ledger/bill-keeper.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import type { NodeHealth } from '../../process/node-health.ts'
import type { StoredLedger } from '../../queue/stored-ledger.ts'
import { quietly } from '../../time/clean-up.ts'
import { healthOf, partsOf } from '../config-parts.ts'
import type { Host } from '../host.ts'

/** Settings of {@link openMulligan}. */
export interface OpenMulliganOptions {
  /** The config. Default: `MULLIGAN_CONFIG`, else the nearest mulligan.toml from the working folder upward, else the user's. */
  config?: string | undefined
  /** Prices that the config does not have, before the vendors' list prices. Default: none. */
  prices?: Prices | undefined
  /** The program's name on the bill. Default: that of its main file. */
  client?: string | undefined
  /** Default: the process's. */
  env?: Record<string, string | undefined> | undefined
  /** Default: the process's. */
  cwd?: string | undefined
}

const NAMES = namesOf<OpenMulliganOptions>({ config: true, prices: true, client: true, env: true, cwd: true })

/** What a program shares with the daemon, the command and other programs. */
export interface Mulligan extends AsyncDisposable {
  /** For `call`, `resilient`, `resilientFetch` and `resilientModel`: health, policy, signatures, prices and the bill. */
  readonly options: Pick<CallOptions, 'health' | 'policy' | 'classify' | 'prices' | 'bill'>
  /** Of the providers, with the pools of the config by name. */
  readonly health: NodeHealth
  readonly ledger: StoredLedger
  /** Writes what is left to write, and closes the ledger. */
  close(): Promise<void>
}

/**
 * Opens what `mulligan.toml` describes, in one call: health, pools, policy, signatures, prices, and the ledger that shares them. Without
 * a file, everything has its default.
 */
export async function openMulligan(options: OpenMulliganOptions = {}): Promise<Mulligan> {
  checkNames('openMulligan', options, NAMES)
  const host: Host = { env: options.env ?? process.env, cwd: options.cwd ?? process.cwd() }
  const loaded = loadConfig({ ...host, flag: options.config })
  const ledger = await ledgerOf(loaded, host)
  try {
    const parts = partsOf(loaded)
    await parts.classify.signatures.read(ledger)
    const health = healthOf(parts, ledger, host)
    const prices = [pricesOf(loaded.config.prices), ...(options.prices ? [options.prices] : []), listPrices]
    const keeper = new BillKeeper({ ledger })
    const close = async () => {
      await keeper.close()
      await health.dispose()
      await ledger.close()
    }
    return {
      options: {
        health,
        policy: parts.policy,
        classify: parts.classify,
        prices,
        bill: keeper.of(options.client ?? programName()),
      },
      health,
      ledger,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await quietly(() => ledger.close())
    throw error
  }
}

async function ledgerOf(loaded: LoadedConfig, host: Host): Promise<StoredLedger> {
  const { database, durability, connections } = loaded.config.queue
  if (database === undefined)
    return openLedger({ file: join(dataFolder(loaded, host), LEDGER_NAME), durability })
  // A stranger's config must not make us connect to its server.
  if (!loaded.isTrusted && loaded.originOf('queue.database')?.from === 'file')
    throw new UntrustedConfig(loaded.file as string)
  const { openPostgresLedger } = await import('../../ledger/postgres/postgres-ledger.ts')
  return openPostgresLedger({ database: resolveText(database, host), connections })
}

function programName(): string {
  const file = process.argv[1] ?? 'node'
  return basename(file, extname(file))
}
