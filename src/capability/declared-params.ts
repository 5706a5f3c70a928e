import { z } from 'zod'
import { fail, quote } from './settings.ts'

/** A parameter as it is declared where no code is. */
export interface DeclaredParam {
  /** What it holds. Default string. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'json' | undefined
  /** Whether an operation needs it. Default true. */
  required?: boolean | undefined
  /** Whether it is stored encrypted and never shown. Default false. */
  secret?: boolean | undefined
  /** What it is for. Default none. */
  description?: string | undefined
}

/** Parameters by their names: letters, digits, "_" and "-", no digit first. */
export type DeclaredParams = Readonly<Record<string, DeclaredParam>>

const TYPES = {
  string: () => z.string(),
  integer: () => z.int(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  json: () => z.json(),
} satisfies Record<NonNullable<DeclaredParam['type']>, () => z.ZodType>

const NAME = /^[A-Za-z_][\w-]*$/

/** The schema of declared parameters; those that are not declared are refused. */
export function schemaOf(capability: string, declared: DeclaredParams): z.ZodType<Record<string, unknown>> {
  const shape = Object.entries(declared).map(([name, { type = 'string', required = true, description }]) => {
    if (!NAME.test(name))
      fail(
        capability,
        `${quote(name)} is no name for a parameter: letters, digits, "_" and "-", no digit first`,
      )
    if (!Object.hasOwn(TYPES, type))
      fail(
        capability,
        `type of parameter ${name} must be one of ${Object.keys(TYPES).join(', ')}, not ${quote(type)}`,
      )
    const plain: z.ZodType = TYPES[type]()
    const described = description === undefined ? plain : plain.describe(description)
    return [name, required ? described : described.optional()] as const
  })
  return z.strictObject(Object.fromEntries(shape))
}

/** Names of those that are secret. */
export function secretsIn(declared: DeclaredParams): string[] {
  return Object.entries(declared)
    .filter(([, { secret }]) => secret === true)
    .map(([name]) => name)
}
