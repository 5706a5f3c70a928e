import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { FIELD_TYPES, type Field, type Fields, type FieldType } from '../plan/plan.ts'

/** The fields of an object schema; a type that is not known is `json`. Undefined for any other schema. */
export function fieldsOfSchema(schema: z.ZodType, secrets: readonly string[] = []): Fields | undefined {
  let written: { type?: unknown; properties?: Record<string, unknown>; required?: string[] } & Record<
    string,
    unknown
  >
  try {
    written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as typeof written
  } catch {
    // The schema is from another version of zod.
    return undefined
  }
  if (written.type !== 'object' || written.properties === undefined) return undefined
  // It accepts names that it does not list.
  if (written.additionalProperties !== undefined && written.additionalProperties !== false) return undefined
  const { properties, required = [] } = written
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]): [string, Field] => [
      name,
      {
        type: typeOf(property),
        required: required.includes(name),
        ...(secrets.includes(name) ? { secret: true } : {}),
      },
    ]),
  )
}

/** The parameters of a capability; undefined if its schema does not list them. */
export function fieldsOfCapability({ params, secrets }: Capability): Fields | undefined {
  return fieldsOfSchema(params, secrets)
}

function typeOf(property: unknown): FieldType {
  const { type } = (property ?? {}) as { type?: unknown }
  return FIELD_TYPES.find(known => known === type) ?? 'json'
}
