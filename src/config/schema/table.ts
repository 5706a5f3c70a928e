import { z } from 'zod'
import type { Ms } from './value.ts'
import { isDuration } from './value.ts'

type CamelCase<K extends string> = K extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : K
type IsDuration<V> = [Exclude<V, undefined>] extends [Ms] ? true : false
type Key<K, V> = K extends string ? (IsDuration<V> extends true ? `${CamelCase<K>}Ms` : CamelCase<K>) : never
type Value<V> = V extends Ms ? number : V

/** A table of the config in TypeScript: `retry_for = "30m"` becomes `retryForMs: 1800000`. */
export type Camel<T> = { [K in keyof T as Key<K, T[K]>]: Value<T[K]> }

/** The TypeScript name of a key. */
export function targetOf(key: string, schema: z.core.$ZodType): string {
  const camel = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return isDuration(schema) ? `${camel}Ms` : camel
}

/** A table with these keys and no others. */
export function table<const S extends z.core.$ZodLooseShape>(shape: S) {
  const targets = new Map(Object.entries(shape).map(([key, schema]) => [key, targetOf(key, schema)]))
  return z
    .strictObject(shape, {
      error: issue => (issue.code === 'invalid_type' ? 'must be a table' : undefined),
    })
    .transform(
      value =>
        Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== undefined)
            .map(([key, inner]) => [targets.get(key) as string, inner]),
        ) as Camel<typeof value>,
    )
}
