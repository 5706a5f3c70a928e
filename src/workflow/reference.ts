import { type Source, sourceInWords } from '../plan/placeholder.ts'

declare const VALUE: unique symbol

/**
 * A placeholder for a value that a run will have: a parameter, or a part of a step's result. Its fields are references
 * to the fields of the value; in a template string it becomes a place.
 */
export type Reference<T> = { readonly [VALUE]: T } & (T extends readonly (infer Item)[]
  ? { readonly [index: number]: Reference<Item> }
  : T extends object
    ? { readonly [K in keyof T]-?: Reference<T[K]> }
    : unknown)

/** A value in which any part may be a reference. */
export type Given<T> =
  | T
  | Reference<T>
  | (T extends readonly (infer Item)[]
      ? readonly Given<Item>[]
      : T extends object
        ? { [K in keyof T]: Given<T[K]> }
        : never)

const SOURCES = new WeakMap<object, Source>()

/** Makes a reference to a value. */
export function referenceTo<T>(source: Source): Reference<T> {
  const fields = new Map<string, unknown>()
  const reference = new Proxy(Object.create(null) as object, {
    get(_target, name) {
      if (name === Symbol.toPrimitive || name === 'toString') return () => `{${sourceInWords(source)}}`
      if (typeof name === 'symbol' || name === 'toJSON' || name === 'then') return undefined
      const known = fields.get(name)
      if (known !== undefined) return known
      const part = /^\d+$/.test(name) ? Number(name) : name
      const field = referenceTo({ ...source, path: [...source.path, part] })
      fields.set(name, field)
      return field
    },
  })
  SOURCES.set(reference, source)
  return reference as Reference<T>
}

/** The source of a reference; undefined for any other value. */
export function sourceOf(value: unknown): Source | undefined {
  return typeof value === 'object' && value !== null ? SOURCES.get(value) : undefined
}

/** A value with every reference in it replaced by a place. */
export function withPlaceholders(value: unknown): unknown {
  const source = sourceOf(value)
  if (source) return `{${sourceInWords(source)}}`
  if (Array.isArray(value)) return value.map(withPlaceholders)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(fields.map(([name, inner]) => [name, withPlaceholders(inner)]))
}
