import { REDACTED, redact } from '../failure/redact.ts'
import type { LoadedConfig } from './loaded.ts'
import type { EffectiveValue } from './origin.ts'
import { isReference } from './reference.ts'
import { TARGETS } from './schema/config.ts'
import { type Path, pathText } from './toml/position.ts'

/** A path with names in place of indices, for entries that have names: `provider[claude].caps[0].usd`. */
export function pathInWords(path: Path, { config }: LoadedConfig): string {
  const [table, index, ...rest] = path
  if (typeof index !== 'number') return pathText(path)
  const entry = (config[TARGETS[table as keyof typeof TARGETS]] as { id?: string; name?: string }[])[index]
  const within = pathText(rest)
  return `${table}[${entry?.id ?? entry?.name ?? index}]${within === '' || within.startsWith('[') ? '' : '.'}${within}`
}

/** Under user-defined names, any value may be a secret. */
const PRIVATE_MAPS: ReadonlySet<unknown> = new Set(['env', 'headers'])

/** A value as it would be written in the file, with secrets hidden. References are shown, because they reveal nothing. */
export function valueInWords({ path, target, written }: EffectiveValue, loaded: LoadedConfig): string {
  const text = JSON.stringify(written)
  if (isReference(loaded.at(target))) return text
  const isHidden =
    typeof written === 'string' && (PRIVATE_MAPS.has(path.at(-2)) || isGivenAway(target, written, loaded))
  return isHidden ? JSON.stringify(REDACTED) : redact(text)
}

/** Whether the name next to a value marks it as a secret: its key, or the flag before it. */
function isGivenAway(target: Path, value: string, loaded: LoadedConfig): boolean {
  const last = target.at(-1)
  const before = typeof last === 'number' ? loaded.at([...target.slice(0, -1), last - 1]) : last
  if (typeof before !== 'string') return false
  if (before === '-u' || before === '--user') return value.includes(':')
  const said = `${before.replace(/^-+/, '')}=${value}`
  return redact(said) !== said
}
