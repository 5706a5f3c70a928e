import { z } from 'zod'
import { timeToJson } from '../time/time-json.ts'

/**
 * What a shape is written from: the same fields in camelCase, times in epoch milliseconds. What is optional or nullable in
 * JSON may be absent.
 */
export type Written<S> = S extends z.ZodISODateTime
  ? number
  : S extends z.ZodExactOptional<infer I> | z.ZodNullable<infer I>
    ? Written<I>
    : S extends z.ZodArray<infer E>
      ? readonly Written<E>[]
      : S extends z.ZodObject<infer F>
        ? { readonly [K in Exclude<keyof F, Lacking<F>> as Camel<K>]: Written<F[K]> } & {
            readonly [K in Lacking<F> as Camel<K>]?: Written<F[K]> | undefined
          }
        : S extends z.ZodRecord<infer _, infer V>
          ? Readonly<Record<string, Written<V>>>
          : z.output<S>

type Lacking<F> = { [K in keyof F]: F[K] extends z.ZodExactOptional | z.ZodNullable ? K : never }[keyof F]
type Camel<K> = K extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : K

type Write = (value: unknown) => unknown

/**
 * The function that writes a value as its shape says, and nothing else: names in snake_case, times as RFC 3339 UTC. What is
 * absent is left out where the shape has it optional, and null where it is nullable.
 */
export function jsonWriter<S extends z.ZodObject>(shape: S): (value: Written<S>) => z.output<S> {
  return objectWriter(shape) as (value: Written<S>) => z.output<S>
}

function objectWriter(shape: z.ZodObject): Write {
  const fields = Object.entries(shape.shape).map(([name, schema]) => ({
    name,
    from: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    write: writerOf(schema),
    isNullable: schema instanceof z.ZodNullable,
  }))
  return value => {
    const json: Record<string, unknown> = {}
    for (const { name, from, write, isNullable } of fields) {
      const given = (value as Record<string, unknown>)[from]
      if (given !== undefined) json[name] = write && given !== null ? write(given) : given
      else if (isNullable) json[name] = null
    }
    return json
  }
}

/** How values of a schema are written; undefined: as they are. */
function writerOf(schema: unknown): Write | undefined {
  if (schema instanceof z.ZodISODateTime) return timeToJson as Write
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable)
    return writerOf(schema.unwrap())
  if (schema instanceof z.ZodObject) return objectWriter(schema)
  if (schema instanceof z.ZodArray) {
    const write = writerOf(schema.element)
    return write && (values => (values as readonly unknown[]).map(value => write(value)))
  }
  const write = schema instanceof z.ZodRecord ? writerOf(schema.valueType) : undefined
  return (
    write &&
    (values =>
      Object.fromEntries(Object.entries(values as object).map(([name, value]) => [name, write(value)])))
  )
}
