import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Discovery, type Found, findConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import type { LoadedConfig } from './loaded.ts'
import type { FlagValues } from './override.ts'
import { readLoaded } from './read.ts'
import { TrustRecord } from './trust-record.ts'

/** Where to look for a config, and what overrides it: flags, then the environment, then the file, then defaults. */
export interface LoadOptions extends Discovery {
  /** Values given by flags, such as `{'queue.data': {flag: '--data', value: '/srv/mulligan'}}`. Default: none. */
  flags?: FlagValues
}

/**
 * Finds and reads the config; without a file, everything has its default. A config found by searching upward can only be
 * inspected until it is trusted: see {@link trusted}. Throws {@link ConfigError}.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  return loadFound(findConfig(options), options)
}

/** Reads the found config, or none. Decides by the very bytes it reads whether the config is trusted. */
export function loadFound(
  found: Found | undefined,
  { env, flags = {} }: Pick<LoadOptions, 'env' | 'flags'>,
): LoadedConfig {
  if (found === undefined) return readLoaded(undefined, undefined, { env, flags })
  const bytes = bytesOf(found.file)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const isTrusted = found.by !== 'search' || new TrustRecord(env).has(found.file, hash)
  return readLoaded(bytes.toString('utf8'), found.file, { env, flags }, { by: found.by, hash, isTrusted })
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'no such file' : (error as Error).message
    throw new ConfigError(file, `cannot be read: ${reason}`, { cause: error })
  }
}
