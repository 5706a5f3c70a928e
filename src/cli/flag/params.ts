import { z } from 'zod'
import type { Capability } from '../../capability/capability.ts'
import { referenceOf } from '../../capability/template.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from './arguments.ts'
import { readText } from './file.ts'

/** Flags for the parameters of an operation. */
export const PARAMS_OPTIONS = {
  param: { type: 'string', multiple: true },
  params: { type: 'string' },
  'param-env': { type: 'string', multiple: true },
  'param-file': { type: 'string', multiple: true },
  'param-stdin': { type: 'string' },
} as const

/** Help text for the parameter flags. */
export const PARAMS_USAGE = `  --param N=V       a parameter; parsed as JSON unless the capability takes a string; may be repeated
  --params JSON     all parameters as a JSON object
  --param-env N=VAR, --param-file N=FILE, --param-stdin N
                    for secrets: take the value from a variable, a file or stdin, because every user of this machine can
                    read a command line; always encrypted`

/** Values of the parameter flags. */
export interface ParamsFlags {
  param?: string[] | undefined
  params?: string | undefined
  'param-env'?: string[] | undefined
  'param-file'?: string[] | undefined
  'param-stdin'?: string | undefined
}

/** Parameters, and the names of those that were not on the command line. */
export interface GivenParams {
  params: Record<string, unknown> | undefined
  hidden: readonly string[]
}

/** Reads the parameters from the flags; `params` is undefined if none was given. Warns about secrets on the command line. */
export async function paramsOf(
  flags: ParamsFlags,
  capability: Pick<Capability, 'params' | 'secrets'> | undefined,
  terminal: Terminal,
): Promise<GivenParams> {
  const { param, params } = flags
  const visible: Record<string, unknown> = params === undefined ? {} : objectOf(params)
  const texts = textsOf(capability)
  for (const entry of param ?? []) {
    const [name, value] = pairOf('--param', 'NAME=VALUE', entry)
    visible[name] = texts.has(name) ? value : jsonOr(value)
  }
  const hidden = await hiddenParams(flags, terminal)
  const read = Object.entries(hidden).map(([name, text]) => [
    name,
    capability === undefined || texts.has(name) ? text : jsonOr(text),
  ])
  warnOfVisible(visible, capability, terminal)
  const names = Object.keys(hidden)
  const isGiven = param !== undefined || params !== undefined || names.length > 0
  return { params: isGiven ? { ...visible, ...Object.fromEntries(read) } : undefined, hidden: names }
}

async function hiddenParams(flags: ParamsFlags, terminal: Terminal): Promise<Record<string, string>> {
  const given: Record<string, string> = {}
  for (const entry of flags['param-env'] ?? []) {
    const [name, variable] = pairOf('--param-env', 'NAME=VARIABLE', entry)
    const value = terminal.env[variable] ?? ''
    if (value === '') throw new UsageError(`--param-env: variable ${variable} is not set`)
    given[name] = value
  }
  for (const entry of flags['param-file'] ?? []) {
    const [name, file] = pairOf('--param-file', 'NAME=FILE', entry)
    given[name] = withoutLastBreak(readText(file, terminal))
  }
  const name = flags['param-stdin']
  if (name !== undefined) given[name] = withoutLastBreak(await terminal.readStdin())
  return given
}

/** Warns instead of refusing, because the secret is already visible. */
function warnOfVisible(
  visible: Record<string, unknown>,
  capability: Pick<Capability, 'secrets'> | undefined,
  terminal: Terminal,
): void {
  const seen = (capability?.secrets ?? []).filter(
    name => visible[name] !== undefined && referenceOf(visible[name]) === undefined,
  )
  if (seen.length > 0)
    terminal.stderr(
      `mulligan: ${seen.join(', ')}: a secret on the command line is visible to every user of this machine and stays in the shell history; use --param-env, --param-file or --param-stdin\n`,
    )
}

function pairOf(flag: string, shape: string, entry: string): [name: string, value: string] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(entry) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`${flag} takes ${shape}, not ${JSON.stringify(entry)}`)
  return [name, value]
}

function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, '')
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

/** Names of string parameters. Their values are not parsed as JSON: an order number stays a string. */
function textsOf(capability: Pick<Capability, 'params'> | undefined): ReadonlySet<string> {
  if (!capability) return new Set()
  try {
    const { properties = {} } = z.toJSONSchema(capability.params, { unrepresentable: 'any', io: 'input' })
    const names = Object.entries(properties).filter(
      ([, property]) => typeof property === 'object' && property.type === 'string',
    )
    return new Set(names.map(([name]) => name))
  } catch {
    // The schema has no JSON form, so its fields are unknown.
    return new Set()
  }
}

/** Parses JSON; returns other text unchanged. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
