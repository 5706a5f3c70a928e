import { z } from 'zod'
import { quote } from '../failure/quote.ts'
import { fail } from './settings.ts'

/** A parameter declared without code. */
export interface DeclaredParam {
  /** Its type. Default: string. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'json' | undefined
  /** Whether it is required. Default true. */
  required?: boolean | undefined
  /** Whether it is stored encrypted and never shown. Default false. */
  secret?: boolean | undefined
  /** What it is for. Default: none. */
  description?: string | undefined
}

/** Parameters by name: letters, digits, "_" and "-", not starting with a digit. */
export type DeclaredParams = Readonly<Record<string, DeclaredParam>>

const TYPES = {
  string: () => z.string(),
  integer: () => z.int(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  json: () => z.json(),
} satisfies Record<NonNullable<DeclaredParam['type']>, () => z.ZodType>

const NAME = /^[A-Za-z_][\w-]*$/

/** The schema of declared parameters; others are refused. */
export function schemaOf(capability: string, declared: DeclaredParams): z.ZodType<Record<string, unknown>> {
  const shape = Object.entries(declared).map(([name, { type = 'string', required = true, description }]) => {
    if (!NAME.test(name))
      fail(
        capability,
        `${quote(name)} is not a valid parameter name: use letters, digits, "_" and "-", and do not start with a digit`,
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

/** The names of secret parameters. */
export function secretsIn(declared: DeclaredParams): string[] {
  return Object.entries(declared)
    .filter(([, { secret }]) => secret === true)
    .map(([name]) => name)
}
