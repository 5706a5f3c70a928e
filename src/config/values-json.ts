import { present } from '../failure/present.ts'
import type { LoadedConfig } from './loaded.ts'
import type { EffectiveValue } from './origin.ts'
import { isReference } from './reference.ts'
import { pathInWords, valueInWords } from './value-words.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The values in force and where each comes from, in JSON; secrets hidden. */
export function configToJson(loaded: LoadedConfig, { env }: { env: Environment }) {
  return {
    file: loaded.file ?? null,
    values: loaded.values.map(value => valueToJson(value, loaded, { env })),
  }
}

/** Whether the target of a reference exists. Undefined if the value is not a reference. */
export function isSetOf(
  { target }: EffectiveValue,
  loaded: LoadedConfig,
  { env }: { env: Environment },
): boolean | undefined {
  const found = loaded.at(target)
  return isReference(found) ? found.isSet({ env }) : undefined
}

function valueToJson(
  value: EffectiveValue,
  loaded: LoadedConfig,
  { env }: { env: Environment },
): Record<string, unknown> {
  const isSet = isSetOf(value, loaded, { env })
  return {
    path: pathInWords(value.path, loaded),
    value: JSON.parse(valueInWords(value, loaded)),
    ...present({ is_set: isSet }),
    ...value.origin,
  }
}
