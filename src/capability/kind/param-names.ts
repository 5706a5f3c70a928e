import type { z } from 'zod'

/** Names of the parameters, where the schema is an object that tells them. */
export function paramNames(schema: z.ZodType): readonly string[] | undefined {
  const { shape } = schema as { shape?: unknown }
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : undefined
}
