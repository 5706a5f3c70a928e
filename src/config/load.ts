import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Discovery, type Found, findConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import type { LoadedConfig } from './loaded.ts'
import type { FlagValues } from './override.ts'
import { readLoaded } from './read.ts'
import { parseDocument } from './toml/document.ts'
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

/**
 * The config as far as reading needs it, from a file that is otherwise broken: where the ledger is. Everything else has its
 * default. Throws {@link ConfigError} if not even the file can be read.
 */
export function loadBroken(options: LoadOptions): LoadedConfig {
  const { env, flags = {} } = options
  const found = findConfig(options)
  if (found === undefined) return readLoaded(undefined, undefined, { flags })
  const bytes = bytesOf(found.file)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const isTrusted = found.by !== 'search' || new TrustRecord(env).has(found.file, hash)
  const origin = { by: found.by, hash, isTrusted }
  const text = placeOfLedgerIn(bytes.toString('utf8'), found.file)
  try {
    return readLoaded(text, found.file, { env, flags }, origin)
  } catch (error) {
    // The mistake may be in a variable.
    if (!(error instanceof ConfigError)) throw error
    return readLoaded(text, found.file, { flags }, origin)
  }
}

/** Where the ledger is, as a config of its own. */
function placeOfLedgerIn(text: string, file: string): string {
  const { data, database } = queueIn(text, file)
  return [
    '[queue]',
    ...(typeof data === 'string' ? [`data = ${JSON.stringify(data)}`] : []),
    ...(typeof database === 'string' ? [`database = ${JSON.stringify(database)}`] : []),
    '',
  ].join('\n')
}

function queueIn(text: string, file: string): { data?: unknown; database?: unknown } {
  try {
    return (parseDocument(text, file).value.queue ?? {}) as { data?: unknown; database?: unknown }
  } catch {
    // Not TOML as a whole; its table may be.
    const table = /^[ \t]*\[queue\][ \t]*\r?\n((?:(?![ \t]*\[).*(?:\r?\n|$))*)/m.exec(text)?.[1] ?? ''
    const found = (key: string) =>
      new RegExp(String.raw`^[ \t]*${key}[ \t]*=[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)')`, 'm').exec(table)
    const [data, database] = [found('data'), found('database')]
    return { data: data?.[1] ?? data?.[2], database: database?.[1] ?? database?.[2] }
  }
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
