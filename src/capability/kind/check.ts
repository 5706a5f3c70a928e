import { fail } from '../settings.ts'
import type { Check, Verification } from '../verification.ts'
import { unsure } from '../verify.ts'
import { type CommandSpec, commandOf } from './command.ts'
import { isSuccess, type RequestSpec, requestOf } from './request.ts'

/** A verification without code: a command or an HTTP request; or a function. */
export interface DeclaredVerification<P = unknown> extends Omit<Verification<P>, 'check'> {
  check?: Check<P>
  /** Exit code 0 means done, 1 absent, anything else unsure. */
  command?: CommandSpec
  /** A 2xx answer means done, 404 or 410 absent, anything else unsure. */
  http?: RequestSpec
  /** Use its output or answer as the operation's result when done. Default: no result. */
  value?: 'text' | 'json'
}

/** What a check needs to know about its capability. */
export interface CapabilityFacts {
  capability: string
  known: readonly string[] | undefined
  secrets: readonly string[]
  base?: string | undefined
}

/** A verification ready to use, and the variables it refers to. */
export interface ReadyVerification<P> {
  verification: Verification<P>
  variables: readonly string[]
}

/** Prepares a verification. Throws a CapabilityError that says what would be right. */
export function verificationFrom<P>(
  declared: DeclaredVerification<P>,
  facts: CapabilityFacts,
): ReadyVerification<P> {
  const { check, command, http, value, ...times } = declared
  const given = [check, command, http].filter(way => way !== undefined)
  if (given.length !== 1) fail(facts.capability, 'verify needs one of check, command or http')
  const made: { check: Check<P>; variables: readonly string[] } = check
    ? { check, variables: [] }
    : command
      ? commandCheck(command, value, facts)
      : requestCheck(http as RequestSpec, value, facts)
  return { verification: { ...times, check: made.check }, variables: made.variables }
}

type ValueAs = DeclaredVerification['value']

function commandCheck<P>(spec: CommandSpec, as: ValueAs, facts: CapabilityFacts) {
  const command = commandOf(spec, facts)
  const check: Check<P> = async (params, context) => {
    const [problem] = command.problems(params)
    if (problem) return unsure(problem)
    const { exitCode, signal, stdout, stderr } = await command.start(params, context)
    if (exitCode === 0) return done(stdout, as)
    if (exitCode === 1) return 'absent'
    const how = exitCode === null ? `was ended by ${signal}` : `ended with exit code ${exitCode}`
    const [line = ''] = stderr.trim().split('\n').slice(-1)
    return unsure(`${spec.argv[0]} ${how}, where 0 means done and 1 absent${line === '' ? '' : `: ${line}`}`)
  }
  return { check, variables: command.variables }
}

function requestCheck<P>(spec: RequestSpec, as: ValueAs, facts: CapabilityFacts) {
  const request = requestOf(spec, { ...facts, method: 'GET' })
  const check: Check<P> = async (params, context) => {
    const [problem] = request.problems(params)
    if (problem) return unsure(problem)
    const answer = await request.send(params, context)
    if (isSuccess(answer)) return done(answer.body, as)
    if (answer.status === 404 || answer.status === 410) return 'absent'
    return unsure(`${request.title} answered ${answer.status}, where 2xx means done, 404 and 410 absent`)
  }
  return { check, variables: request.variables }
}

/** The effect is certain; a value that cannot be parsed is left out. */
function done(text: string, as: ValueAs): { state: 'done'; value?: unknown } {
  if (as === undefined) return { state: 'done' }
  if (as === 'text') return { state: 'done', value: text.trimEnd() }
  try {
    return { state: 'done', value: JSON.parse(text) as unknown }
  } catch {
    return { state: 'done' }
  }
}
