import { REDACTED, redact } from '../failure/redact.ts'
import type { LoadedConfig } from './loaded.ts'
import type { EffectiveValue } from './origin.ts'
import { isReference } from './reference.ts'
import { TARGETS } from './schema/config.ts'
import { type Path, pathText } from './toml/place.ts'

/** A path with names in the place of numbers where entries have names: `provider[claude].caps[0].usd`. */
export function shownPath(path: Path, { config }: LoadedConfig): string {
  const [table, index, ...rest] = path
  if (typeof index !== 'number') return pathText(path)
  const entry = (config[TARGETS[table as keyof typeof TARGETS]] as { id?: string; name?: string }[])[index]
  const within = pathText(rest)
  return `${table}[${entry?.id ?? entry?.name}]${within === '' || within.startsWith('[') ? '' : '.'}${within}`
}

/** A value as it would be written in the file, secrets hidden. References stay: they tell nothing. */
export function shownValue({ path, target, written }: EffectiveValue, loaded: LoadedConfig): string {
  const text = JSON.stringify(written)
  if (isReference(loaded.at(target))) return text
  const key = String(path.at(-1))
  // The name beside a value gives a secret away that has no shape of its own.
  const isHidden = typeof written === 'string' && redact(`${key}=${written}`) !== `${key}=${written}`
  return isHidden ? JSON.stringify(REDACTED) : redact(text)
}
