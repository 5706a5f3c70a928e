import { z } from 'zod'
import { OPTION_RULES, OptionError, optionsFromJson } from '../../agent/options.ts'
import type { DeclaredParams } from '../declared-params.ts'
import { fail, quote } from '../settings.ts'
import type { Params } from './declared.ts'

/** The parameter in which a job carries options of its run. */
export const JOB_OPTIONS = 'options'

/**
 * Options that a job may carry unless its capability says otherwise: how well, how long and how dear. What the agent may
 * touch and start is for the capability to say.
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

/** Options of single jobs, as a capability allows them. */
export interface JobOptions {
  /** The parameters, with that for the options among them. */
  params: DeclaredParams | z.ZodType<Params> | undefined
  /** Of the parameters, those that may stand in a prompt. */
  placesIn(known: readonly string[] | undefined): readonly string[] | undefined
  /** What is wrong with the options of a job. */
  problems(params: Params): string[]
  /** The options of a job; none if it has none. */
  of(params: Params): Readonly<Record<string, unknown>>
}

/**
 * @param fixed options that the capability sets: its own word, unless it names them in `allowed`
 * @param allowed names in JSON; undefined for {@link JOB_OPTIONS_DEFAULT}
 */
export function jobOptions(
  capability: string,
  params: DeclaredParams | z.ZodType<Params> = {},
  fixed: Readonly<Record<string, unknown>>,
  allowed: readonly string[] | undefined,
): JobOptions {
  const unknown = allowed?.find(name => !KNOWN.includes(name))
  if (unknown !== undefined)
    fail(capability, `jobOptions: there is no option ${quote(unknown)}; known: ${KNOWN.join(', ')}`)
  const names = allowed ?? JOB_OPTIONS_DEFAULT.filter(name => !Object.hasOwn(fixed, name))
  const extended = names.length === 0 ? undefined : withOptions(params)
  if (!extended) {
    if (allowed !== undefined && allowed.length > 0)
      fail(capability, `jobOptions needs the parameter ${quote(JOB_OPTIONS)}, which it declares otherwise`)
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

/** Undefined where the capability has a parameter of this name itself, or a schema that cannot be extended. */
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
    return [`option ${refused}: ${why}; its author can let jobs do so by naming it in job_options`]
  }
  try {
    optionsFromJson(options as Readonly<Record<string, unknown>>)
    return []
  } catch (error) {
    if (error instanceof OptionError) return [error.message]
    throw error
  }
}
