import { z } from 'zod'
import type { Capability } from '../capability/index.ts'
import { UsageError } from './arguments.ts'

/** Flags that give the parameters of an operation. */
export const PARAMS_OPTIONS = {
  param: { type: 'string', multiple: true },
  params: { type: 'string' },
} as const

/** The flags as they were given. */
export interface ParamsFlags {
  param?: string[] | undefined
  params?: string | undefined
}

/** Parameters from `--params JSON` and `--param NAME=VALUE`; undefined if neither was given. */
export function paramsOf(
  { param, params }: ParamsFlags,
  capability: Pick<Capability, 'params'> | undefined,
): Record<string, unknown> | undefined {
  if (param === undefined && params === undefined) return undefined
  const given: Record<string, unknown> = params === undefined ? {} : objectOf(params)
  const texts = textsOf(capability)
  for (const entry of param ?? []) {
    const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(entry) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--param takes NAME=VALUE, not ${JSON.stringify(entry)}`)
    given[name] = texts.has(name) ? value : jsonOr(value)
  }
  return given
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--params takes a JSON object: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { ...(value as Record<string, unknown>) }
  throw new UsageError('--params takes a JSON object, such as {"id": 7}')
}

/** Names of parameters that are texts, whatever they look like: an order number is no number. */
function textsOf(capability: Pick<Capability, 'params'> | undefined): ReadonlySet<string> {
  if (!capability) return new Set()
  try {
    const { properties = {} } = z.toJSONSchema(capability.params, { unrepresentable: 'any', io: 'input' })
    const names = Object.entries(properties).filter(
      ([, property]) => typeof property === 'object' && property.type === 'string',
    )
    return new Set(names.map(([name]) => name))
  } catch {
    // A schema that cannot be written down says nothing about its fields.
    return new Set()
  }
}

/** JSON where it is JSON, else the text itself. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
