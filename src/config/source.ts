import { checkNames, namesOf } from '../option/check-names.ts'
import { findConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import { type LoadOptions, loadFound } from './load.ts'
import type { LoadedConfig, TrustedConfig } from './loaded.ts'
import { trusted } from './trust.ts'
import { pathInWords, valueInWords } from './value-words.ts'

/** A value that a reload changed, as `config show` names and prints it: no secrets. */
export interface ConfigChange {
  /** As in the file: `provider[claude].breaker.cooldown`. */
  path: string
  /** Absent if it is new. */
  before?: string
  /** Absent if it was removed. */
  after?: string
}

/** The outcome of a reload. A broken or untrusted file changes nothing: the old config stays in force. */
export type Reloaded =
  | { ok: true; changes: readonly ConfigChange[] }
  | { ok: false; error: ConfigError; kept: TrustedConfig }

const NAMES = namesOf<LoadOptions>({ flag: true, env: true, cwd: true, flags: true })

/** The config of a long-lived process: read at the start, and on reload. */
export class ConfigSource {
  readonly #options: LoadOptions
  #current: TrustedConfig

  /**
   * Throws {@link ConfigError} (including `UntrustedConfig`), because at the start there is no older config to keep. Throws
   * `WrongArgument` for an unknown option.
   */
  constructor(options: LoadOptions) {
    checkNames('ConfigSource', options, NAMES)
    this.#options = options
    this.#current = trusted(loadFound(findConfig(options), options))
  }

  /** The config in force. */
  get current(): TrustedConfig {
    return this.#current
  }

  /**
   * Reads the same file again; if there was none, searches again. If the file is broken, gone, or changed and not trusted in its
   * new form, keeps the config in force and reports it.
   */
  reload(): Reloaded {
    const before = this.#current
    try {
      const { file, by } = before
      const found = file === undefined ? findConfig(this.#options) : { file, by }
      this.#current = trusted(loadFound(found, this.#options))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return { ok: false, error, kept: before }
    }
    return { ok: true, changes: changesBetween(before, this.#current) }
  }
}

/** Compares entries by id, not by position. */
function changesBetween(before: LoadedConfig, after: LoadedConfig): ConfigChange[] {
  const [old, now] = [valuesInWords(before), valuesInWords(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap(path => {
    const [was, is] = [old.get(path), now.get(path)]
    if (was?.written === is?.written) return []
    return [{ path, ...(was && { before: was.shown }), ...(is && { after: is.shown }) }]
  })
}

/** A changed secret is reported, but not its values. */
function valuesInWords(loaded: LoadedConfig): Map<string, { written: string; shown: string }> {
  return new Map(
    loaded.values.map(value => [
      pathInWords(value.path, loaded),
      { written: JSON.stringify(value.written), shown: valueInWords(value, loaded) },
    ]),
  )
}
