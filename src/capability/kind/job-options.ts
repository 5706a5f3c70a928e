import { z } from 'zod'
import { OPTION_RULES, OptionError, optionsFromJson } from '../../agent/options.ts'
import { quote } from '../../failure/quote.ts'
import type { DeclaredParams } from '../declared-params.ts'
import { fail } from '../settings.ts'
import type { Params } from './declared.ts'

/** The parameter in which a job carries options of its run. */
export const JOB_OPTIONS = 'options'

/**
 * Options that a job may set by default: quality, time and cost. What the agent may touch and start is up to the capability.
 */
export const JOB_OPTIONS_DEFAULT: readonly string[] = [
  'model',
  'fallback_model',
  'effort',
  'max_thinking_tokens',
  'max_turns',
  'max_budget_usd',
  'timeout',
  'json_schema',
  'append_system_prompt',
  'disallowed_tools',
  'meta',
]

const KNOWN = Object.values(OPTION_RULES).map(({ json }) => json)

/** The job options that a capability allows. */
export interface JobOptions {
  /** The parameters, including the one for the options. */
  params: DeclaredParams | z.ZodType<Params> | undefined
  /** The parameters that may appear in a prompt. */
  placesIn(known: readonly string[] | undefined): readonly string[] | undefined
  /** What is wrong with a job's options. */
  problems(params: Params): string[]
  /** The options of a job; empty if it has none. */
  of(params: Params): Readonly<Record<string, unknown>>
}

/**
 * @param fixed options that the capability sets; a job cannot override them unless `allowed` names them
 * @param allowed JSON names; undefined for {@link JOB_OPTIONS_DEFAULT}
 */
export function jobOptions(
  capability: string,
  params: DeclaredParams | z.ZodType<Params> = {},
  fixed: Readonly<Record<string, unknown>>,
  allowed: readonly string[] | undefined,
): JobOptions {
  const unknown = allowed?.find(name => !KNOWN.includes(name))
  if (unknown !== undefined)
    fail(capability, `jobOptions: unknown option ${quote(unknown)}; known: ${KNOWN.join(', ')}`)
  const names = allowed ?? JOB_OPTIONS_DEFAULT.filter(name => !Object.hasOwn(fixed, name))
  const extended = names.length === 0 ? undefined : withOptions(params)
  if (!extended) {
    if (allowed !== undefined && allowed.length > 0)
      fail(
        capability,
        `jobOptions needs the parameter ${quote(JOB_OPTIONS)}, which it declares for something else`,
      )
    return { params, placesIn: known => known, problems: () => [], of: () => ({}) }
  }
  const of = (given: Params) => (given[JOB_OPTIONS] ?? {}) as Readonly<Record<string, unknown>>
  return {
    params: extended,
    placesIn: known => known?.filter(name => name !== JOB_OPTIONS),
    problems: given => problemsOf(of(given), names, fixed),
    of,
  }
}

const schema = z.record(z.string(), z.unknown()).optional().describe('Options of this run of the agent.')

/** Undefined if the capability itself has a parameter with this name, or a schema that cannot be extended. */
function withOptions(
  params: DeclaredParams | z.ZodType<Params>,
): DeclaredParams | z.ZodType<Params> | undefined {
  if (params instanceof z.ZodObject)
    return JOB_OPTIONS in params.shape ? undefined : params.extend({ [JOB_OPTIONS]: schema })
  if (params instanceof z.ZodType || Object.hasOwn(params, JOB_OPTIONS)) return undefined
  return {
    ...(params as DeclaredParams),
    [JOB_OPTIONS]: { type: 'json', required: false, description: 'Options of this run of the agent.' },
  }
}

function problemsOf(
  options: unknown,
  names: readonly string[],
  fixed: Readonly<Record<string, unknown>>,
): string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return [`${JOB_OPTIONS} must be an object such as {"model": "opus"}`]
  const refused = Object.keys(options).find(name => KNOWN.includes(name) && !names.includes(name))
  if (refused !== undefined) {
    const why = Object.hasOwn(fixed, refused) ? 'the capability sets it' : 'a job may not set it'
    return [`option ${refused}: ${why}; to allow it, name it in the capability's job_options`]
  }
  try {
    optionsFromJson(options as Readonly<Record<string, unknown>>)
    return []
  } catch (error) {
    if (error instanceof OptionError) return [error.message]
    throw error
  }
}
