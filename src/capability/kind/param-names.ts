import type { z } from 'zod'

/** Names of the parameters, if the schema is an object. */
export function paramNames(schema: z.ZodType): readonly string[] | undefined {
  const { shape } = schema as { shape?: unknown }
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : undefined
}
