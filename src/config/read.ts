import { redact } from '../failure/redact.ts'
import { crossCheck } from './cross-check.ts'
import { ConfigError, type Problem } from './error.ts'
import { type Mistake, mistakesOf } from './issue.ts'
import { type ConfigOrigin, LoadedConfig, type TrustedConfig } from './loaded.ts'
import { withOlderLayout } from './older-layout.ts'
import type { Origin } from './origin.ts'
import { environmentOverrides, type FlagValues, flagOverrides, type Override } from './override.ts'
import { configSchema, fileSchema } from './schema/config.ts'
import { parseDocument } from './toml/document.ts'
import { type Path, PositionNode, pathText } from './toml/position.ts'

/** For defaults without a file, and for text that the caller passed in. */
const OWN: ConfigOrigin = { by: 'name', isTrusted: true }

/** What overrides the file. */
export interface ReadOptions {
  /** Variables such as `MULLIGAN_QUEUE_DATA`. Default: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Values given by flags. Default: none. */
  flags?: FlagValues
}

/**
 * Reads the text of a config. Without a text, only defaults, environment and flags count. A caller who passes the text itself
 * vouches for it, so it counts as trusted. Throws {@link ConfigError} with every mistake, in order of their place.
 */
export function readConfig(
  text: string | undefined,
  file: string | undefined,
  options: ReadOptions = {},
): TrustedConfig {
  return readLoaded(text, file, options) as TrustedConfig
}

/** Reads the text of a config that was found as `source` says; without it, the text is the caller's own. */
export function readLoaded(
  text: string | undefined,
  file: string | undefined,
  { env = {}, flags = {} }: ReadOptions,
  source: ConfigOrigin = OWN,
): LoadedConfig {
  const document =
    text === undefined
      ? { value: {}, places: new PositionNode() }
      : parseDocument(text, file ?? 'mulligan.toml')
  const { overrides: fromEnv, problems } = environmentOverrides(env)
  const reader = new Reader(document.places, file, [...fromEnv, ...flagOverrides(flags)])
  const written = reader.applied(withOlderLayout(document.value, document.places))
  const parsed = configSchema.safeParse(written)
  const older = olderMistakes(document.value)
  const newer = parsed.success ? [] : mistakesOf(parsed.error, written)
  const mistakes = [
    ...older,
    ...(older.length > 0 ? newer.filter(isOfFile(document.value)) : newer),
    ...crossCheck(written),
  ]
  const all = [...problems, ...reader.problemsOf(mistakes)]
  if (!parsed.success || all.length > 0) throw new ConfigError(file ?? 'mulligan.toml', all)
  return new LoadedConfig({
    file,
    written,
    parsed: parsed.data,
    originOf: path => reader.originOf(path),
    source,
  })
}

/** Mistakes in `[[providers]]`, in the terms of that layout. */
function olderMistakes(written: Readonly<Record<string, unknown>>): Mistake[] {
  const parsed = fileSchema.shape.providers.safeParse(written.providers)
  return parsed.success ? [] : mistakesOf(parsed.error, written, ['providers'])
}

/** Skips entries that come from `[[providers]]`: {@link olderMistakes} has checked them. */
function isOfFile({ provider }: Readonly<Record<string, unknown>>): (mistake: Mistake) => boolean {
  const count = Array.isArray(provider) ? provider.length : 0
  return ({ path: [table, index] }) => !(table === 'provider' && typeof index === 'number' && index >= count)
}

/** Knows for every value whether it comes from the file, the environment or a flag, and where. */
class Reader {
  readonly #places: PositionNode
  readonly #file: string | undefined
  readonly #overrides: readonly Override[]

  constructor(places: PositionNode, file: string | undefined, overrides: readonly Override[]) {
    this.#places = places
    this.#file = file
    this.#overrides = overrides
  }

  /** What is written, with its overrides applied. */
  applied(written: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const result = { ...written }
    for (const { table, key, value } of this.#overrides) {
      const before = result[table] ?? {}
      // A value in place of a table is reported as such.
      if (typeof before === 'object') result[table] = { ...before, [key]: value }
    }
    return result
  }

  originOf(path: Path): Origin | undefined {
    const override = this.#overrideOf(path)
    if (override) return override.origin
    const place = this.#places.has(path) ? this.#places.placeOf(path) : undefined
    return place && { from: 'file', file: this.#file ?? 'mulligan.toml', ...place }
  }

  /** One problem per place and text, sorted by place; problems from outside the file come first. */
  problemsOf(mistakes: readonly Mistake[]): Problem[] {
    const problems = new Map<string, Problem>()
    for (const { path, message } of mistakes) {
      const problem = { ...this.#whereOf(path), path: redact(pathText(path)), message: redact(message) }
      problems.set(`${problem.file}:${problem.line}:${problem.column}:${message}`, problem)
    }
    return [...problems.values()].sort(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    )
  }

  #whereOf(path: Path): { file: string; line?: number; column?: number } {
    const origin = this.#overrideOf(path)?.origin
    if (origin?.from === 'environment') return { file: origin.variable }
    if (origin?.from === 'flag') return { file: origin.flag }
    return { file: this.#file ?? 'mulligan.toml', ...this.#places.placeOf(path) }
  }

  /** The last one wins. */
  #overrideOf([table, key]: Path): Override | undefined {
    return this.#overrides.findLast(override => override.table === table && override.key === key)
  }
}
