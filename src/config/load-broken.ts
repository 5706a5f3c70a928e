import { createHash } from 'node:crypto'
import { findConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import { bytesOf, type LoadOptions } from './load.ts'
import type { LoadedConfig } from './loaded.ts'
import type { FlagValues } from './override.ts'
import { readLoaded } from './read.ts'
import { parseDocument } from './toml/document.ts'
import { TrustRecord } from './trust-record.ts'

/**
 * The config as far as reading needs it, from a file that is otherwise broken: where the ledger is, and the schedules that can
 * be read. Everything else has its default. Throws {@link ConfigError} if not even the file can be read.
 */
export function loadBroken(options: LoadOptions): LoadedConfig {
  const { env, flags = {} } = options
  const found = findConfig(options)
  if (found === undefined) return readLoaded(undefined, undefined, { flags })
  const bytes = bytesOf(found.file)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const isTrusted = found.by !== 'search' || new TrustRecord(env).has(found.file, hash)
  const origin = { by: found.by, hash, isTrusted }
  const written = bytes.toString('utf8')
  const place = placeOfLedgerIn(written, found.file)
  // The mistake may be in a variable.
  const from = [{ env, flags }, { flags }].find(each => readIfRight(place, found.file, each)) ?? { flags }
  const loaded = readLoaded(place, found.file, from, origin)
  const schedules = schedulesIn(written, found.file).flatMap(
    one => readIfRight(place + one, found.file, from)?.config.schedules ?? [],
  )
  Object.assign(loaded.config, { schedules })
  loaded.isBroken = true
  return loaded
}

function readIfRight(
  text: string,
  file: string,
  from: { env?: LoadOptions['env']; flags: FlagValues },
): LoadedConfig | undefined {
  try {
    return readLoaded(text, file, from)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** The schedules of a file, each as a piece of a config: what it needs to be shown, and a capability of that name. */
function schedulesIn(text: string, file: string): string[] {
  const { schedule } = valueIn(text, file)
  if (!Array.isArray(schedule)) return []
  return schedule.map((one: Record<string, unknown>) =>
    [
      '[[schedule]]',
      ...SHOWN.filter(key => one[key] !== undefined).map(key => `${key} = ${JSON.stringify(one[key])}`),
      `[[capability]]\nname = ${JSON.stringify(one.capability)}\nargv = ["true"]\nretry = "none"`,
      '',
    ].join('\n'),
  )
}

const SHOWN = ['name', 'capability', 'cron', 'time_zone', 'enabled']

function valueIn(text: string, file: string): Record<string, unknown> {
  try {
    return parseDocument(text, file).value
  } catch {
    return {}
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
