import { readFileSync } from 'node:fs'
import { type Discovery, discoverConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import type { LoadedConfig } from './loaded.ts'
import type { FlagValues } from './override.ts'
import { readConfig } from './read.ts'

/** Where to look, and what wins over what is found: flags, then the environment, then the file, then defaults. */
export interface LoadOptions extends Discovery {
  /** Values given by flags, such as `{'queue.data': {flag: '--data', value: '/srv/mulligan'}}`. Default none. */
  flags?: FlagValues
}

/** Finds and reads the config; without a file, everything has its default. Throws {@link ConfigError}. */
export function loadConfig(options: LoadOptions): LoadedConfig {
  return loadFile(discoverConfig(options), options)
}

/** Reads the config from this file, or from none. Throws {@link ConfigError}. */
export function loadFile(
  file: string | undefined,
  { env, flags = {} }: Pick<LoadOptions, 'env' | 'flags'>,
): LoadedConfig {
  return readConfig(file === undefined ? undefined : textOf(file), file, { env, flags })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new ConfigError(file, `cannot be read: ${reason}`, { cause: error })
  }
}
