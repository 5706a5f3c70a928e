import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { hideMatches } from '../failure/secret/known.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import { quietly } from '../time/clean-up.ts'
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
  const loaded = readFound(found, { env, flags })
  // Also of a config that is not trusted: to hide more is no harm.
  hideMatches(loaded.config.redact.patterns.map(pattern => compilePattern('redact', pattern)))
  return loaded
}

function readFound(
  found: Found | undefined,
  { env, flags = {} }: Pick<LoadOptions, 'env' | 'flags'>,
): LoadedConfig {
  if (found === undefined) return readLoaded(undefined, undefined, { env, flags })
  const bytes = bytesOf(found.file)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const isTrusted = found.by !== 'search' || new TrustRecord(env).has(found.file, hash)
  return readLoaded(bytes.toString('utf8'), found.file, { env, flags }, { by: found.by, hash, isTrusted })
}

/** No config is larger. It is read before it is trusted, so whoever wrote it must not decide how much. */
const LARGEST = 1_048_576

/**
 * The bytes of a config file: a regular one, or a link to one. A device or a pipe would never end. Throws {@link ConfigError}.
 */
export function bytesOf(file: string): Buffer {
  let opened: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(opened).isFile()) throw new Error('it is not a regular file')
    const bytes = Buffer.alloc(LARGEST + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(opened, bytes, length, bytes.length - length, null)
    if (length > LARGEST) throw new Error('it is larger than 1 MB')
    return bytes.subarray(0, length)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'no such file' : (error as Error).message
    throw new ConfigError(file, `cannot be read: ${reason}`, { cause: error })
  } finally {
    if (opened !== undefined) void quietly(() => closeSync(opened as number))
  }
}
